#pragma once
#include <c10/core/Device.h>

#include <string>

namespace kjoule::child {

/// "NVIDIA H200", as its driver calls it, or the CPU's model. Throws Error when the driver does not tell.
std::string device_name(c10::Device device);

}  // namespace kjoule::child
