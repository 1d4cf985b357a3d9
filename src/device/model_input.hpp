#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kjoule {

/// An input of a model whose file does not describe its inputs.
struct ModelInput {
  std::string type;            ///< name of a type of PyTorch, such as "int64"
  std::vector<int64_t> shape;  ///< sizes, each at least 1
  /// Smallest integer, and the one after the largest; no value if the text has no range.
  std::optional<std::pair<int64_t, int64_t>> range{};
};

/// Reads the text of --input, TYPE:SIZExSIZE[:LOW..HIGH], such as "int64:1x5:0..1000". Throws Error, whose
/// message begins with `text`, if the text has another form, if the type is not known, if the sizes or their
/// product are out of range, or if the type cannot hold the range.
ModelInput parse_model_input(const std::string& text);

/// Checks the description of a model that its file contains (kjoule.json): whether `inputs`, `baked` and
/// `training`, which may be absent, have the form that kjoule export writes, and whether the inputs can be
/// made. Throws Error, without a remedy, with the name of the wrong field.
void check_model_description(const nlohmann::json& description);

/// Throws Error if the shape has more than kDimensionLimit dimensions, negative sizes, or more elements than
/// kLargestCount. `what` names the tensor.
void check_shape(const std::vector<int64_t>& shape, const std::string& what);

}  // namespace kjoule
