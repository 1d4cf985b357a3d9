#pragma once
#include <c10/core/Device.h>

#include <cstdint>
#include <optional>
#include <string>

namespace kjoule::runner {

/// Returns the device's name: the GPU's name as the driver reports it ("NVIDIA H200"), or the model of the
/// CPU. Throws Error if the driver does not report a name.
std::string device_name(c10::Device device);

/// Returns the GPU's UUID as NVML writes it; an empty text on the CPU, or if the driver does not report it.
std::string device_uuid(c10::Device device);

/// Returns the size of the device's largest cache in bytes; nothing if not known.
std::optional<int64_t> cache_size(c10::Device device);

}  // namespace kjoule::runner
