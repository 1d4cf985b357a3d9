#pragma once
#include <cstdint>
#include <string_view>

namespace kjoule::cuda {

/// How a kernel works together with kernels of other processes.
enum class Collective : uint8_t {
  none,       ///< it does not
  nccl,       ///< one of NCCL's own, which can be replayed if all ranks replay it in step
  symmetric,  ///< it works on memory that is mapped at all GPUs: NVSHMEM, symmetric memory
};

/// Returns how the kernel of that mangled name works together with others.
Collective collective_of(std::string_view kernel);

}  // namespace kjoule::cuda
