#pragma once
#include <cuda.h>

#include <string>
#include <vector>

#include "cuda/driver/allocations.hpp"

namespace kjoule::cuda {

/// Managed memory that the driver did not move to the GPU.
struct UnmovedMemory {
  uint64_t bytes = 0;
  std::string why;  ///< the driver's message; empty if all memory was moved
};

/// Moves the managed memory among these allocations to the current GPU, where it stays until the host
/// accesses it. Returns the memory that could not be moved. Throws Error if the GPU is too small for all the
/// allocations, because the driver would then move managed memory out again.
UnmovedMemory make_resident(const std::vector<Allocation>& allocations, CUstream stream);

}  // namespace kjoule::cuda
