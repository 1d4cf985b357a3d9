#pragma once
#include <c10/core/Device.h>

#include <string>

namespace kjoule::child {

/// The most that this device is seen to do: a large matrix product of tensors of that type ("Half"), and a
/// large copy. Prints {"flop_per_s": .., "byte_per_s": ..}, bytes read and written. Throws std::exception.
void print_roof(const std::string& type, c10::Device device);

}  // namespace kjoule::child
