#pragma once
#include "torch/model.hpp"

namespace kjoule::runner {

/// Runs iterations of a model, as a program that kjoule measures from outside. Each iteration is completed on
/// the device before the next one begins.
void run_iterations(Model& model, c10::Device device, int64_t iterations);

/// Reports why the model cannot be run: to kjoule if it measures this process, otherwise on stderr.
void report_failure(const std::exception& error);

}  // namespace kjoule::runner
