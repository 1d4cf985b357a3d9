#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kjoule {

/// A GPU that a user chose by CUDA's number.
struct ChosenGpu {
  size_t number = 0;    ///< number of the GPU among those that are visible to this process
  std::string visible;  ///< value of CUDA_VISIBLE_DEVICES for a process that uses this GPU only
};

/// The GPUs of this machine.
struct GpusOfMachine {
  /// Value of CUDA_VISIBLE_DEVICES; nothing if it is not set.
  std::optional<std::string> visible;
  /// Returns the number of GPUs; nothing if it is not known. Throws Error if there is none. It is only called
  /// if `visible` is not set.
  std::function<std::optional<size_t>()> count;

  /// Returns those of this machine; NVML counts the GPUs.
  static GpusOfMachine of_this_machine();
};

/// Returns the GPUs of `list`, which is "all" or numbers such as "0,1". If CUDA_VISIBLE_DEVICES is set, the
/// numbers count its entries, which may be UUIDs. Throws UsageError if the list is neither, if it names a GPU
/// twice, or if it names a GPU that does not exist. Throws Error if there is no GPU, or if "all" is asked for
/// and the number of GPUs is not known.
std::vector<ChosenGpu> choose_gpus(const std::string& list, const GpusOfMachine& machine);

}  // namespace kjoule
