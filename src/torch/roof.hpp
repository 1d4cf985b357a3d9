#pragma once
#include <c10/core/Device.h>

#include <string>

#include "device/roof.hpp"

namespace kjoule::child {

/// The most that this device is seen to do: a large matrix product of tensors of that type ("Half"), and a
/// large copy, whose bytes are read and written. Throws std::exception.
Roof measured_roof(const std::string& type, c10::Device device);

}  // namespace kjoule::child
