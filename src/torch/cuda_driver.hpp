#pragma once
#include "base/process/library.hpp"

namespace kjoule::runner {

/// Returns the CUDA driver's library. Throws Error if it cannot be loaded.
Library open_cuda_driver();

}  // namespace kjoule::runner
