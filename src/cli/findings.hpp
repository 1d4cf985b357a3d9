#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "run/torch_runner.hpp"

namespace kjoule {

/// One thing that a machine has or lacks.
struct Finding {
  enum class Status { ok, missing, limited };
  std::string item{};
  Status status = Status::ok;
  std::string detail{};
  std::string remedy{};  ///< empty when all is well
  /// Without it `kjoule compare --model` does not work on the CPU.
  bool needed = false;
};

/// The item that says whether models run on a GPU here.
inline constexpr const char* kModelsOnCuda = "models on CUDA";

const char* status_name(Finding::Status status);

/// All that kjoule can make use of, in the order of the table.
std::vector<Finding> examine_machine();

// Its parts that look at files, on files that may be others than this machine's.

Finding examine_cpu(const std::string& cpuinfo, unsigned cores);
Finding examine_memory(const std::string& meminfo);
/// Energy counters of the CPU, in a folder such as /sys/class/powercap.
Finding examine_rapl(const std::filesystem::path& powercap);
/// Serial adapters ttyUSB*, in a folder such as /dev.
Finding examine_serial_ports(const std::filesystem::path& devices);
/// The torch that kjoule-torch was built against, and the one that KJOULE_TORCH asks for, which serves where
/// the first is gone; either may be empty.
Finding examine_torch(const std::filesystem::path& built_with, const std::filesystem::path& asked);
/// Whether the program at this path starts, with that LD_LIBRARY_PATH.
Finding examine_torch_child(const std::filesystem::path& program, const std::string& library_path);
/// Whether `--device cuda` works for models.
Finding examine_models_on_cuda(const RunnerPlaces& places);

}  // namespace kjoule
