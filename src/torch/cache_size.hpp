#pragma once
#include <c10/core/Device.h>

#include <cstdint>
#include <optional>

namespace kjoule::runner {

/// Returns the size of the device's largest cache in bytes, if it is known.
std::optional<int64_t> cache_size(c10::Device device);

}  // namespace kjoule::runner
