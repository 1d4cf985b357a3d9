#pragma once
#include <torch/script.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "torch/model.hpp"

namespace kjoule::runner {

/// Returns the inputs for `work` from the file's metadata: for each input an object with name, dtype, shape,
/// dims, low and high (docs/reference/formats.md). Throws Error if `work` requests a size that is fixed in
/// the model, or a dimension that the model does not have.
nlohmann::json choose_inputs(const nlohmann::json& metadata, const ModelWork& work);

/// Returns tensors with values from the seed, which are the same on every device: integers in [low, high),
/// and normally distributed floats.
std::vector<at::Tensor> make_inputs(const nlohmann::json& inputs, uint64_t seed, c10::Device device);

}  // namespace kjoule::runner
