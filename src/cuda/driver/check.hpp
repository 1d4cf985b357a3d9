#pragma once
#include <cuda.h>

#include <string>

namespace kjoule::cuda {

/// Returns the driver's message for a result, for example "out of memory".
std::string message_of(CUresult result);

/// Throws DeviceError, with the name of the call and the driver's message, unless `result` is CUDA_SUCCESS.
/// The error's `lost` is true when a fault has made the context unusable.
void check(CUresult result, const char* call);

}  // namespace kjoule::cuda

#define KJOULE_CU(call) ::kjoule::cuda::check(call, #call)
