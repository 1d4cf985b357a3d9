#pragma once
#include <c10/core/Device.h>

#include <string>

#include "device/roof.hpp"

namespace kjoule::runner {

/// Measures the highest rates of the device: FLOP/s with large matrix products of type `type` ("Half"), and
/// bytes/s by copying, reading and writing much memory, where a copy counts its bytes twice. Throws an
/// exception of libtorch if a measurement fails.
Roof measure_roof(const std::string& type, c10::Device device);

}  // namespace kjoule::runner
