#pragma once
#include <c10/core/Device.h>

#include <string>

namespace kjoule::runner {

/// Returns the device of that name ("cpu", "cuda" or "cuda:1"), ready for use. The CUDA library of torch is
/// loaded only for "cuda", so that one program works with torch packages with and without it. Call it before
/// anything else of torch. Throws Error if the package has no CUDA library, or if there is no such GPU.
c10::Device open_device(const std::string& name);

/// Waits until the device has completed all its work. Throws the error of work that failed.
void synchronize(c10::Device device);

/// Returns whether the device can still be used. After a kernel fault, its process can no longer use the GPU.
bool is_device_usable(c10::Device device);

/// Returns the device's name in messages: "the CPU" or "CUDA".
std::string backend_name(c10::Device device);

}  // namespace kjoule::runner
