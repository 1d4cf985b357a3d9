#pragma once
#include <cuda.h>

#include <string>

namespace kjoule::cuda {

/// Returns the UUID of a GPU as NVML writes it: "GPU-" and 36 characters. Throws Error if the driver does not
/// report it.
std::string gpu_uuid(CUdevice device);

}  // namespace kjoule::cuda
