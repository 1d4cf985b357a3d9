#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "layers/layer.hpp"

namespace kjoule {

/// The fields of one layer in a network's file. Getters throw Error, which names the field, if a required
/// field is missing or a value has the wrong type.
class LayerFields {
 public:
  virtual ~LayerFields() = default;
  virtual int64_t whole(const std::string& field) const = 0;
  virtual std::optional<int64_t> whole_if_given(const std::string& field) const = 0;
  virtual bool flag(const std::string& field) const = 0;  ///< false if the field is not given
  virtual std::vector<int64_t> shape(const std::string& field) const = 0;
  virtual std::optional<std::vector<int64_t>> shape_if_given(const std::string& field) const = 0;
  virtual std::vector<std::vector<int64_t>> shapes(const std::string& field) const = 0;
  virtual std::string text(const std::string& field) const = 0;
  /// Returns a value of any type, with its formulas evaluated.
  virtual nlohmann::json value(const std::string& field) const = 0;
};

/// Returns a layer of the given kind with tensors of type `dtype` (for example "Half"). The caller sets the
/// layer's name. Throws Error for an unknown kind.
Layer make_layer(const std::string& kind, const LayerFields& fields, const std::string& dtype);
/// Returns the names of all kinds ("add", "attention", ...).
std::vector<std::string> layer_kinds();

}  // namespace kjoule
