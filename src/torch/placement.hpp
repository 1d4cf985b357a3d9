#pragma once
#include <c10/core/Device.h>

#include <string>

namespace kjoule::child {

/// The device of that name, "cpu", "cuda" or "cuda:1", ready for use. torch's CUDA half is loaded when it is
/// asked for, so that one program serves torch packages with and without it; call this before anything else
/// of torch. Throws Error where the package has none, or there is no such GPU.
c10::Device place(const std::string& name);

/// Waits until the device has done all that it was given. Throws what failed there.
void synchronize(c10::Device device);

/// A kernel that faults leaves its process without a GPU.
bool is_well(c10::Device device);

/// What messages call it.
std::string name_of(c10::Device device);

}  // namespace kjoule::child
