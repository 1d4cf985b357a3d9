#pragma once
#include <cuda.h>

#include <string>

namespace kjoule::cuda {

/// Returns the UUID of a GPU as NVML writes it: "GPU-" and 36 characters. Throws Error when the driver does
/// not give it.
std::string gpu_uuid(CUdevice device);

}  // namespace kjoule::cuda
