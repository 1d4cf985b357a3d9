#pragma once
#include <torch/script.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "torch/model.hpp"

namespace kjoule::child {

/// The inputs that `work` asks for, from the file's metadata: one object each with name, dtype, shape,
/// dims, low, high (docs/reference/formats.md). Throws Error for a size that the model has baked in or does
/// not have.
nlohmann::json choose_inputs(const nlohmann::json& metadata, const ModelWork& work);

/// Seeded tensors, the same on every device: integers within [low, high), floats from the normal
/// distribution.
std::vector<at::Tensor> make_inputs(const nlohmann::json& inputs, uint64_t seed, c10::Device device);

}  // namespace kjoule::child
