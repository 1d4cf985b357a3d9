#pragma once
#include <torch/script.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "model.hpp"

namespace kjoule::child {

/// The inputs that `options` asks for, from the file's metadata: one object each with name, dtype, shape,
/// dims, low, high (docs/formats.md). Throws Error for a size that the model has baked in or does not have.
nlohmann::json choose_inputs(const nlohmann::json& metadata, const ModelOptions& options);

/// Seeded tensors: integers within [low, high), floats from the normal distribution.
std::vector<torch::jit::IValue> make_inputs(const nlohmann::json& inputs, uint64_t seed);

}  // namespace kjoule::child
