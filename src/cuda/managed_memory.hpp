#pragma once
#include <cuda.h>

#include <vector>

#include "cuda/allocations.hpp"

namespace kjoule::cuda {

/// Moves the managed memory among these allocations to the current GPU, where it stays until the host touches
/// it. Throws Error when the GPU is too small for all the allocations: the driver would move managed memory
/// out again.
void make_resident(const std::vector<Allocation>& allocations, CUstream stream);

}  // namespace kjoule::cuda
