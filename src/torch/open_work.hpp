#pragma once
#include <functional>

#include "torch/model.hpp"

namespace kjoule::runner {

/// Chooses the device and sets the number of libtorch's threads. Call it before any other function of torch.
/// Throws Error if the device is not available.
c10::Device choose_device(const RunnerWork& work);

/// Opens the work; returns null if `work` contains none. Throws Error, or an exception of libtorch.
std::unique_ptr<Model> open_work(const RunnerWork& work, c10::Device device);

}  // namespace kjoule::runner
