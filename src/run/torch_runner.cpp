#include "run/torch_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/environment_variable.hpp"
#include "base/process/process.hpp"

namespace kjoule {

namespace fs = std::filesystem;

namespace {

bool is_torch(const fs::path& folder) {
  return !folder.empty() && fs::exists(folder / "lib/libtorch_cpu.so");
}

/// Returns whether the folder contains the device file of a GPU: nvidia0, nvidia1, ..., or dxg in WSL.
bool has_gpu(const fs::path& devices) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(devices, none)) {
    const std::string name = entry.path().filename();
    if (name == "dxg" ||
        (name.starts_with("nvidia") && name.size() > 6 &&
         std::all_of(name.begin() + 6, name.end(), [](unsigned char c) { return std::isdigit(c); })))
      return true;
  }
  return false;
}

constexpr std::string_view kRunner = "kjoule-torch";
constexpr size_t kVersionBytes = 4096;  ///< what is read of torch's version.py, which has a few lines
constexpr size_t kLongestPath = 4096;   ///< bytes

/// Returns the folder of the torch package that kjoule-torch was built with, from a file that CMake writes.
/// Returns an empty path if it was not built, or if kjoule is from a wheel or an archive.
fs::path built_with_torch(const fs::path& programs) {
  const std::string text = read_beginning(programs / "../share/kjoule/torch_folder", kLongestPath);
  return text.substr(0, text.find('\n'));
}

/// Returns the version without its last number: "2.11" for "2.11.0+cu130".
std::string minor_version(const std::string& version) {
  return version.substr(0, version.find('.', version.find('.') + 1));
}

}  // namespace

std::string torch_version(const fs::path& folder) {
  constexpr std::string_view kKey = "\n__version__ = '";
  const std::string text = read_beginning(folder / "version.py", kVersionBytes);
  const size_t at = text.find(kKey);
  if (at == std::string::npos) return "version unknown";
  const size_t open = at + kKey.size();
  return text.substr(open, text.find('\'', open) - open);
}

RunnerPlaces RunnerPlaces::of_this_machine() {
  const fs::path programs = executable_folder();
  RunnerPlaces places{.programs = programs,
                      .built_with = built_with_torch(programs),
                      .asked = environment_variable("KJOULE_TORCH")};
  if (places.supported_versions().empty()) return places;
  // The programs are in site-packages/kjoule/bin. An archive may be unpacked anywhere, also next to somebody
  // else's folder of this name.
  const fs::path package = places.programs.parent_path(), neighbour = package.parent_path() / "torch";
  if (places.asked.empty() && fs::exists(package / "__init__.py") && is_torch(neighbour))
    places.asked = neighbour;
  return places;
}

std::vector<std::string> RunnerPlaces::supported_versions() const {
  const std::string start = std::string(kRunner) + "-";
  std::vector<std::string> versions;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(programs, none))
    if (const std::string name = entry.path().filename(); name.starts_with(start))
      versions.push_back(name.substr(start.size()));
  std::sort(versions.begin(), versions.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;  // 2.9 before 2.11
  });
  return versions;
}

fs::path RunnerPlaces::runner() const {
  const std::string name(kRunner);
  if (supported_versions().empty()) return programs / name;
  return programs / (name + "-" + minor_version(torch_version(torch())));
}

fs::path RunnerPlaces::torch() const {
  if (is_torch(built_with)) return built_with;
  return is_torch(asked) ? asked : fs::path();
}

std::optional<Error> lack_in_wheel(const RunnerPlaces& places) {
  const std::vector<std::string> versions = places.supported_versions();
  if (versions.empty()) return {};
  const fs::path torch = places.torch();
  const std::string remedy = fmt::format(
      "install a supported version, for example with pip install torch=={}.0, or set KJOULE_TORCH to the "
      "folder of its package",
      versions.back());
  const std::string supported = fmt::format("{}", fmt::join(versions, ", "));
  if (torch.empty())
    return Error(fmt::format("no torch package was found, which models need (supported: {})", supported),
                 remedy);
  if (!fs::exists(places.runner()))
    return Error(fmt::format("this kjoule does not support torch {} in {} (supported: {})",
                             torch_version(torch), torch.string(), supported),
                 remedy);
  return {};
}

std::optional<Error> lack_for_cuda(const RunnerPlaces& places) {
  if (!has_gpu(places.devices))
    return Error(
        "no NVIDIA GPU was found",
        "check that a GPU is assigned to this machine or container; on the CPU, kjoule works without one");
  if (!fs::exists(places.programs / "libkjoule_inject.so") &&
      !fs::exists(places.programs / "../lib/libkjoule_inject.so"))
    return Error(
        "kjoule was built without libkjoule_inject.so, which measures programs on a GPU",
        "install the CUDA toolkit (nvcc, cuda.h, cupti.h), then run make build in kjoule's source tree");
  if (auto lack = lack_in_wheel(places)) return lack;
  if (!fs::exists(places.runner()))
    return Error("the program kjoule-torch, which runs models, was not built",
                 "run tools/setup and then make build in kjoule's source tree");
  const fs::path torch = places.torch();
  if (torch.empty())
    return Error("the torch package that kjoule-torch needs was not found",
                 "set the environment variable KJOULE_TORCH to the folder of a torch package");
  if (!fs::exists(torch / "lib/libtorch_cuda.so"))
    return Error(fmt::format("the torch package in {} was built without CUDA", torch.string()),
                 "set the environment variable KJOULE_TORCH to a torch package with CUDA, then run make "
                 "build in kjoule's source tree");
  return {};
}

std::string RunnerPlaces::library_path() const {
  if (asked.empty()) return environment_variable("LD_LIBRARY_PATH");
  std::vector<std::string> folders{(asked / "lib").string()};
  std::error_code none;
  for (const auto& package : fs::directory_iterator(asked / "../nvidia", none))
    if (fs::is_directory(package.path() / "lib"))
      folders.push_back((package.path() / "lib").lexically_normal().string());
  std::sort(folders.begin() + 1, folders.end());
  if (const std::string already = environment_variable("LD_LIBRARY_PATH"); !already.empty())
    folders.push_back(already);
  return fmt::format("{}", fmt::join(folders, ":"));
}

RunnerCommand RunnerPlaces::command(const fs::path& program, std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), program.string());
  RunnerCommand command{std::move(arguments), {}};
  if (const std::string path = library_path(); !path.empty()) command.environment["LD_LIBRARY_PATH"] = path;
  return command;
}

void need_torch_runner(const RunnerPlaces& places) {
  if (const auto lack = lack_in_wheel(places)) throw *lack;
  if (!fs::exists(places.runner()))
    throw Error("the program kjoule-torch, which runs models, is not in the folder of kjoule",
                "build it with make build in kjoule's source tree; kjoule doctor reports what is missing");
  if (places.torch().empty())
    throw Error(
        places.built_with.empty()
            ? "it is not known with which torch package kjoule-torch was built"
            : fmt::format("the torch package with which kjoule-torch was built is no longer in {}",
                          places.built_with.string()),
        "set the environment variable KJOULE_TORCH to the folder of a torch package of the same version");
}

RunnerCommand torch_runner_command(std::vector<std::string> arguments, const RunnerPlaces& places) {
  need_torch_runner(places);
  return places.command(places.runner(), std::move(arguments));
}

}  // namespace kjoule
