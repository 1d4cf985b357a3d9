#pragma once
#include "torch/model.hpp"

namespace kjoule::child {

/// What a program does that only runs a model: iterations, each to its end on the device, as a kjoule sees
/// it that watches from outside.
void run_iterations(Model& model, c10::Device device, int64_t iterations);

/// Says why the model cannot be run: to the kjoule that measures this process, or on stderr where none does.
void report_failure(const std::exception& error);

}  // namespace kjoule::child
