#pragma once
#include <torch/script.h>

namespace kjoule::child {

/// A traced model names the device that it was traced on in constants, e.g. where it makes a mask, and
/// loading it onto another device leaves them as they are. Sets all of them to `device`. Before the first
/// run, because the interpreter keeps what it made of the graphs.
void set_device_constants(const torch::jit::Module& module, c10::Device device);

}  // namespace kjoule::child
