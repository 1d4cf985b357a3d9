#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/process/start.hpp"

namespace kjoule {

/// The command that starts kjoule-torch or kjoule-blas, and the environment variables for finding its
/// libraries.
struct RunnerCommand {
  std::vector<std::string> words;
  Environment environment;
};

/// The folders of kjoule-torch, of its torch package and of the GPUs' device files: of_this_machine(), or
/// folders of a test. A wheel contains a kjoule-torch for each version of torch that it supports, whose name
/// ends with the version (kjoule-torch-2.11); other builds contain one, for the torch of the build.
struct RunnerPlaces {
  std::filesystem::path programs{};    ///< folder of kjoule's programs
  std::filesystem::path built_with{};  ///< torch package that kjoule-torch was built with; may be empty
  /// Torch package that KJOULE_TORCH names, otherwise the one next to the Python package of a wheel; may be
  /// empty.
  std::filesystem::path asked{};
  std::filesystem::path devices = "/dev";

  static RunnerPlaces of_this_machine();
  /// Returns the folder of the torch package that kjoule-torch loads: `built_with` if this folder exists,
  /// otherwise `asked`. Returns an empty path if neither exists.
  std::filesystem::path torch() const;
  /// Returns the versions of torch that a wheel supports ("2.11"), in ascending order; nothing if kjoule is
  /// not from a wheel.
  std::vector<std::string> supported_versions() const;
  /// Returns the path of the kjoule-torch for torch(). The file may be missing.
  std::filesystem::path runner() const;
  /// Returns LD_LIBRARY_PATH for kjoule-torch: the folders of the package that KJOULE_TORCH names, then the
  /// current value of LD_LIBRARY_PATH. If the package `built_with` exists, kjoule-torch loads this package
  /// nevertheless.
  std::string library_path() const;
  /// Returns a command that starts `program` with these arguments, and with library_path() as
  /// LD_LIBRARY_PATH.
  RunnerCommand command(const std::filesystem::path& program, std::vector<std::string> arguments) const;
};

/// Returns the version of a torch package, for example "2.11.0+cu130"; "version unknown" if it states none.
std::string torch_version(const std::filesystem::path& folder);

/// Returns why a wheel cannot run models with the torch packages of this machine; nothing if it can, or if
/// kjoule is not from a wheel.
std::optional<Error> lack_in_wheel(const RunnerPlaces& places);

/// Returns why models cannot run on CUDA on this machine; nothing if models can. Does not initialise CUDA.
std::optional<Error> lack_for_cuda(const RunnerPlaces& places);

/// Throws Error if kjoule-torch or its torch package is missing.
void need_torch_runner(const RunnerPlaces& places = RunnerPlaces::of_this_machine());
/// Returns the command that starts kjoule-torch. Throws Error if kjoule-torch or its torch package is
/// missing.
RunnerCommand torch_runner_command(std::vector<std::string> arguments,
                                   const RunnerPlaces& places = RunnerPlaces::of_this_machine());

}  // namespace kjoule
