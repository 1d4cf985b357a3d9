#pragma once
#include <c10/core/Device.h>

#include <string>

#include "device/roof.hpp"

namespace kjoule::runner {

/// Measures the highest rates of the device: with a large matrix product of tensors of type `type` ("Half"),
/// and with a large copy, whose bytes count as read and as written. Throws std::exception.
Roof measure_roof(const std::string& type, c10::Device device);

}  // namespace kjoule::runner
