#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "layers/layer.hpp"

namespace kjoule {

/// The fields of a layer in a network's file, as the kinds ask for them. What is asked for and is not there,
/// or is of the wrong type, is an Error that names the field.
class LayerFields {
 public:
  virtual ~LayerFields() = default;
  virtual int64_t whole(const std::string& field) const = 0;
  virtual std::optional<int64_t> whole_if_given(const std::string& field) const = 0;
  virtual bool flag(const std::string& field) const = 0;  ///< false where it is not given
  virtual std::vector<int64_t> shape(const std::string& field) const = 0;
  virtual std::optional<std::vector<int64_t>> shape_if_given(const std::string& field) const = 0;
  virtual std::vector<std::vector<int64_t>> shapes(const std::string& field) const = 0;
  virtual std::string text(const std::string& field) const = 0;
  /// Any value, formulas in it evaluated.
  virtual nlohmann::json value(const std::string& field) const = 0;
};

/// A layer of that kind with tensors of type `dtype` ("Half"). Its name is the caller's. Throws Error for an
/// unknown kind.
Layer make_layer(const std::string& kind, const LayerFields& fields, const std::string& dtype);
/// "add", "attention", ...
std::vector<std::string> layer_kinds();

}  // namespace kjoule
