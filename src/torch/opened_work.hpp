#pragma once
#include <functional>

#include "torch/model.hpp"

namespace kjoule::child {

/// Chooses the device and the threads of libtorch; before anything else of torch. Throws Error.
c10::Device take_place(const RunnerWork& work);

/// Opens what `work` is to run; null where that is nothing. Throws Error, or what libtorch throws.
std::unique_ptr<Model> open_work(const RunnerWork& work, c10::Device device);

}  // namespace kjoule::child
