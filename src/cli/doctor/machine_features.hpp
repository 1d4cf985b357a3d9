#pragma once
// The folder doctor is `kjoule doctor`. examine_machine() returns a MachineFeature for each thing that kjoule
// can use: its status and, if it is missing or limited, a remedy. doctor() prints them. The features of
// NVIDIA (driver, CUPTI, cuBLAS, GPUs) are in nvidia_features.hpp. Read first: MachineFeature.

#include <filesystem>
#include <string>
#include <vector>

#include "run/torch_runner.hpp"

namespace kjoule {

/// One feature that the machine has, lacks or supports with limits.
struct MachineFeature {
  enum class Status { ok, missing, limited };
  std::string item{};
  Status status = Status::ok;
  std::string detail{};
  std::string remedy{};  ///< what to do; empty if the status is ok
  /// Whether `kjoule compare --model` on the CPU needs this feature.
  bool needed = false;
};

/// The item that reports whether models can run on a GPU.
inline constexpr const char* kModelsOnCuda = "models on CUDA";

const char* status_name(MachineFeature::Status status);

/// Returns all features that kjoule can use, in the order of the table.
std::vector<MachineFeature> examine_machine();

// Parts of examine_machine(). Paths and contents are parameters, so that tests can supply other files.

MachineFeature examine_cpu(const std::string& cpuinfo, unsigned cores);
MachineFeature examine_memory(const std::string& meminfo);
/// Examines the CPU's energy counters in a folder such as /sys/class/powercap.
MachineFeature examine_rapl(const std::filesystem::path& powercap);
/// Examines the serial adapters ttyUSB* in a folder such as /dev.
MachineFeature examine_serial_ports(const std::filesystem::path& devices);
/// Examines the torch package with which kjoule-torch was built. If it no longer exists, or if kjoule is from
/// a wheel, examines the one that KJOULE_TORCH names or that is next to the wheel's Python package.
MachineFeature examine_torch(const RunnerPlaces& places);
/// Examines whether the kjoule-torch for this torch package starts.
MachineFeature examine_torch_child(const RunnerPlaces& places);
/// Examines whether `--device cuda` works for models.
MachineFeature examine_models_on_cuda(const RunnerPlaces& places);

}  // namespace kjoule
