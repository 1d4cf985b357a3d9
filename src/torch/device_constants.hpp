#pragma once
#include <torch/script.h>

namespace kjoule::runner {

/// Sets all device constants in a traced model to `device`. A traced model contains the device on which it
/// was traced, for example where it creates a mask, and loading it onto another device does not change these
/// constants. Call it before the model's first run, because the interpreter keeps the code that it generates
/// from the graphs.
void set_device_constants(const torch::jit::Module& module, c10::Device device);

}  // namespace kjoule::runner
