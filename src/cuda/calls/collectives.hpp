#pragma once
#include <cstdint>
#include <string_view>

namespace kjoule::cuda {

/// How a kernel works together with kernels of other processes.
enum class Collective : uint8_t {
  none,       ///< the kernel works alone
  nccl,       ///< a kernel of NCCL, which can be replayed if all ranks replay it together
  symmetric,  ///< works on memory that is mapped at all GPUs: NVSHMEM, symmetric memory
};

/// Returns how a kernel works together with kernels of other processes, from its mangled name.
Collective collective_of(std::string_view kernel);

}  // namespace kjoule::cuda
