#include "cli/doctor/nvidia_features.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/files/cublas_files.hpp"
#include "base/process/library.hpp"
#include "base/process/process.hpp"
#include "power/meters/nvml.hpp"
#include "power/meters/nvml_samples.hpp"

namespace kjoule {

namespace fs = std::filesystem;

namespace {

using Status = MachineFeature::Status;

constexpr double kSmiPatience_s = 10;  // it hangs on a GPU that has fallen off the bus
constexpr const char* kInstallDriver = "needed only for GPUs: install NVIDIA's driver";

MachineFeature lacks(std::string item, std::string detail, std::string remedy,
                     Status status = Status::missing) {
  return {
      .item = std::move(item), .status = status, .detail = std::move(detail), .remedy = std::move(remedy)};
}

/// Returns ": NVIDIA H200" or ": 2 x NVIDIA H200", with the name of the first device; empty if the driver
/// reports none.
std::string gpu_names(const Library& cuda) {
  auto* count_devices = cuda.symbol<int(int*)>("cuDeviceGetCount");
  auto* device_name = cuda.symbol<int(char*, int, int)>("cuDeviceGetName");
  int count = 0;
  std::array<char, 256> name{};
  if (count_devices == nullptr || device_name == nullptr || count_devices(&count) != 0 || count == 0)
    return {};
  if (device_name(name.data(), static_cast<int>(name.size()) - 1, 0) != 0) return {};
  return count == 1 ? fmt::format(": {}", name.data()) : fmt::format(": {} x {}", count, name.data());
}

MachineFeature examine_driver() {
  const char* item = "NVIDIA driver";
  const auto cuda = Library::open({"libcuda.so.1"});
  if (!cuda) return lacks(item, "libcuda.so.1 not found", kInstallDriver);
  auto* start = cuda->symbol<int(unsigned)>("cuInit");
  auto* get_version = cuda->symbol<int(int*)>("cuDriverGetVersion");
  int version = 0;
  if (start == nullptr || get_version == nullptr || get_version(&version) != 0)
    return lacks(item, "libcuda.so.1 is not usable", kInstallDriver, Status::limited);
  const std::string detail = fmt::format("for CUDA {}.{}", version / 1000, version % 1000 / 10);
  if (const int error = start(0); error != 0)
    return lacks(item, fmt::format("{}, but cuInit fails with error {}", detail, error),
                 "check with nvidia-smi that a GPU is installed and assigned to this machine or container",
                 Status::limited);
  return {.item = item, .detail = detail + gpu_names(*cuda)};
}

MachineFeature examine_nvml() {
  const char* item = "NVML (GPU power)";
  try {
    const auto nvml = Nvml::open();
    const std::string version = "driver " + nvml->driver_version();
    for (const FoundMeter& gpu : nvml_samples_source()->find())
      if (!gpu.lack.empty())
        return lacks(item, fmt::format("{}; {}: {}", version, gpu.facts.name, gpu.lack), gpu.remedy,
                     Status::limited);
    return {.item = item, .detail = version};
  } catch (const Error& error) {
    const bool missing = std::string(error.what()).starts_with("no ");
    return lacks(item, error.what(), error.remedy(), missing ? Status::missing : Status::limited);
  }
}

/// Returns the paths of these files in NVIDIA's packages next to torch.
std::vector<std::string> files_next_to_torch(const std::vector<std::string>& files,
                                             const fs::path& torch_folder) {
  std::vector<std::string> found;
  std::error_code none;
  if (torch_folder.empty()) return found;
  for (const auto& package : fs::directory_iterator(torch_folder / "../nvidia", none))
    for (const std::string& file : files)
      if (const fs::path path = package.path() / "lib" / file; fs::exists(path))
        found.push_back(path.lexically_normal().string());
  return found;
}

/// Opens the first of the files that can be loaded, also those in NVIDIA's packages next to torch.
std::optional<Library> open_also_next_to_torch(std::vector<std::string> files, const fs::path& torch_folder) {
  const std::vector<std::string> packaged = files_next_to_torch(files, torch_folder);
  files.insert(files.end(), packaged.begin(), packaged.end());
  return Library::open(files);
}

/// Returns the file of CUPTI that the injected library loads: that of CUDA 13, or the one that the user
/// named.
std::string named_cupti() {
  const char* named = std::getenv("KJOULE_CUPTI");
  return named != nullptr ? named : "libcupti.so.13";
}

std::optional<Library> open_cupti(const fs::path& torch_folder) {
  if (std::getenv("KJOULE_CUPTI") != nullptr) return Library::open({named_cupti()});
  return open_also_next_to_torch({named_cupti()}, torch_folder);
}

MachineFeature examine_cupti(const fs::path& torch_folder) {
  const char* item = "CUPTI (GPU kernels)";
  const char* remedy =
      "needed only for GPUs: run tools/setup (CUPTI comes with torch), install the toolkit of CUDA 13, or "
      "name the library with KJOULE_CUPTI=FILE";
  const auto cupti = open_cupti(torch_folder);
  if (!cupti) return lacks(item, named_cupti() + " not found", remedy);
  auto* get_version = cupti->symbol<int(uint32_t*)>("cuptiGetVersion");
  uint32_t version = 0;
  if (get_version == nullptr || get_version(&version) != 0)
    return lacks(item, cupti->name() + " is not usable", remedy, Status::limited);
  return {.item = item, .detail = fmt::format("API version {}, {}", version, cupti->name())};
}

/// Opens cuBLAS as kjoule-blas does, whose search path contains the packages next to torch.
std::optional<Library> open_cublas(const fs::path& torch_folder) {
  std::vector<std::string> files;
  for (const int major : kCublasMajors)
    for (std::string& file : cublas_files("cublas", major)) files.push_back(std::move(file));
  if (named_cublas() != nullptr) return Library::open(files);
  return open_also_next_to_torch(std::move(files), torch_folder);
}

MachineFeature examine_cublas(const fs::path& torch_folder) {
  const char* item = "cuBLAS (matrix products)";
  const char* remedy =
      "needed only to replay products of a table on a GPU: run tools/setup (cuBLAS comes with torch), "
      "install the CUDA toolkit, or name the library with KJOULE_CUBLAS=FILE";
  const auto cublas = open_cublas(torch_folder);
  if (!cublas)
    return lacks(item,
                 named_cublas() != nullptr ? fmt::format("{} cannot be loaded", named_cublas())
                                           : "libcublas.so.13, .12 or .11 not found",
                 remedy);
  auto* get_part = cublas->symbol<int(int, int*)>("cublasGetProperty");
  std::array<int, 3> version{};  // major, minor, patch
  for (int part = 0; part < 3; ++part)
    if (get_part == nullptr || get_part(part, &version[part]) != 0)
      return lacks(item, cublas->name() + " is not usable", remedy, Status::limited);
  return {.item = item, .detail = fmt::format("version {}, {}", fmt::join(version, "."), cublas->name())};
}

MachineFeature examine_smi() {
  const char* item = "nvidia-smi";
  try {
    const ProgramOutput output =
        read_program({item, "--query-gpu=name,power.limit", "--format=csv,noheader"}, kSmiPatience_s);
    std::string gpus = output.text.substr(0, output.text.find_last_not_of('\n') + 1);
    if (output.exit_code != 0)
      return lacks(item, "fails: " + gpus.substr(0, gpus.find('\n')), kInstallDriver, Status::limited);
    for (size_t at = 0; (at = gpus.find('\n', at)) != std::string::npos;) gpus.replace(at, 1, "; ");
    return {.item = item, .detail = gpus};
  } catch (const Error&) {
    return lacks(item, "not on the PATH", kInstallDriver);
  }
}

}  // namespace

std::vector<MachineFeature> examine_nvidia(const fs::path& torch_folder) {
  return {examine_driver(), examine_nvml(), examine_cupti(torch_folder), examine_cublas(torch_folder),
          examine_smi()};
}

}  // namespace kjoule
