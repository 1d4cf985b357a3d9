#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "run/torch_runner.hpp"

namespace kjoule {

/// One feature that the machine has, lacks or supports with limits.
struct Finding {
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

const char* status_name(Finding::Status status);

/// Returns all features that kjoule can use, in the order of the table.
std::vector<Finding> examine_machine();

// Parts of examine_machine(). Paths and contents are parameters, so that tests can supply other files.

Finding examine_cpu(const std::string& cpuinfo, unsigned cores);
Finding examine_memory(const std::string& meminfo);
/// Examines the CPU's energy counters in a folder such as /sys/class/powercap.
Finding examine_rapl(const std::filesystem::path& powercap);
/// Examines the serial adapters ttyUSB* in a folder such as /dev.
Finding examine_serial_ports(const std::filesystem::path& devices);
/// Examines the torch with which kjoule-torch was built and, if that is gone, the one that KJOULE_TORCH
/// names. Either path may be empty.
Finding examine_torch(const std::filesystem::path& built_with, const std::filesystem::path& asked);
/// Examines whether the program starts with this LD_LIBRARY_PATH.
Finding examine_torch_child(const std::filesystem::path& program, const std::string& library_path);
/// Examines whether `--device cuda` works for models.
Finding examine_models_on_cuda(const RunnerPlaces& places);

}  // namespace kjoule
