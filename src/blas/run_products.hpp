#pragma once
#include <cstdint>

#include "device/runner_work.hpp"

namespace kjoule::blas {

/// Runs iterations. Each iteration computes each product of the work once, within the NVTX ranges of its
/// call. Throws Error if the work contains anything else, or if a product cannot be computed.
void run_products(const RunnerWork& work, int64_t iterations);

}  // namespace kjoule::blas
