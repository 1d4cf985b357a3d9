#pragma once
#include <cuda.h>

#include <string>
#include <vector>

#include "cuda/driver/allocations.hpp"

namespace kjoule::cuda {

/// Managed memory that stays where it is, because the driver does not move it.
struct UnmovedMemory {
  uint64_t bytes = 0;
  std::string why;  ///< the driver's words; empty if all was moved
};

/// Moves the managed memory among these allocations to the current GPU, where it stays until the host touches
/// it. Returns what could not be moved. Throws Error when the GPU is too small for all the allocations: the
/// driver would move managed memory out again.
UnmovedMemory make_resident(const std::vector<Allocation>& allocations, CUstream stream);

}  // namespace kjoule::cuda
