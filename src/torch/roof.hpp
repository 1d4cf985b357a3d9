#pragma once
#include <c10/core/Device.h>

#include <string>

#include "device/roof.hpp"

namespace kjoule::runner {

/// Measures the highest rates of the device: with large matrix products of tensors of type `type` ("Half"),
/// and by copying, reading and writing much memory, where the bytes of a copy count twice. Throws
/// std::exception.
Roof measure_roof(const std::string& type, c10::Device device);

}  // namespace kjoule::runner
