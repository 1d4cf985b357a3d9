#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace kjoule {

/// Where kjoule-torch, its torch and its GPUs may be; others than this machine's in tests.
struct RunnerPlaces {
  std::filesystem::path programs{};    ///< the folder with kjoule's programs
  std::filesystem::path built_with{};  ///< the torch package that kjoule-torch was built with; may be empty
  std::filesystem::path asked{};       ///< the one that KJOULE_TORCH names; may be empty
  std::filesystem::path devices = "/dev";

  static RunnerPlaces of_this_machine();
  /// The torch package that kjoule-torch loads: the one that it was built with, whose place it remembers, and
  /// where that is gone the asked one. Empty when there is neither.
  std::filesystem::path torch() const;
  std::filesystem::path runner() const { return programs / "kjoule-torch"; }
  /// LD_LIBRARY_PATH for kjoule-torch: the asked package before what it is already. Where the package that it
  /// was built with still is, that comes before all of them.
  std::string library_path() const;
};

/// What keeps models off CUDA here, found without starting CUDA; nothing when they can run there.
std::optional<Error> lack_for_cuda(const RunnerPlaces& places);

/// Lets the kjoule-torch that is started next find its torch. Throws Error when either is missing.
void prepare_runner(const RunnerPlaces& places);
/// The same for that of this machine: where it is.
RunnerPlaces prepared_runner();

}  // namespace kjoule
