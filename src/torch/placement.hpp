#pragma once
#include <c10/core/Device.h>

#include <string>

namespace kjoule::runner {

/// Returns the device of this name ("cpu", "cuda" or "cuda:1"), ready for use. torch's CUDA library is loaded
/// only for "cuda", so that one kjoule-torch works with torch packages with and without CUDA. Call this
/// function before any other function of torch. Throws Error if the torch package has no CUDA library, or if
/// the GPU does not exist.
c10::Device open_device(const std::string& name);

/// Waits until the device has completed all its work. Throws libtorch's exception if work on the device has
/// failed.
void synchronize(c10::Device device);

/// Returns whether this process can still use the device. After a kernel has faulted, the process can no
/// longer use the GPU.
bool is_device_usable(c10::Device device);

/// Returns the device's name for messages: "the CPU" or "CUDA".
std::string backend_name(c10::Device device);

}  // namespace kjoule::runner
