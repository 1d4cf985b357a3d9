#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "run/subject.hpp"

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

/// What to say of a kjoule-torch that ended without what it was run for: its own words where it had any,
/// else how it ended and the last line that it, or a library in it, wrote.
Error runner_ended(const std::string& how, const std::string& last_line);

/// The command line that serves the model (or calls) on the CPU, and the one of a program that runs it so
/// often on CUDA.
std::vector<std::string> serving_runner(const SubjectOptions& options, const RunnerPlaces& places);
std::vector<std::string> running_runner(const SubjectOptions& options, const RunnerPlaces& places,
                                        int64_t iterations);
/// The one that writes the profiler's trace of an iteration on CUDA to `trace`.
std::vector<std::string> profiling_runner(const SubjectOptions& options, const RunnerPlaces& places,
                                          const std::string& trace);
/// The one that tells what the model's file says of itself.
std::vector<std::string> describing_runner(const SubjectOptions& options, const RunnerPlaces& places);
/// The one that measures what the device does at most with tensors of that type.
std::vector<std::string> roof_runner(const std::string& type, const SubjectOptions& options,
                                     const RunnerPlaces& places);
/// The one that tries calls on "cpu" or "cuda", but for the number of the first.
std::vector<std::string> trying_runner(const std::string& calls, const std::string& device,
                                       const RunnerPlaces& places);

}  // namespace kjoule
