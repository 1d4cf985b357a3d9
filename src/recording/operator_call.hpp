#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace kjoule {

/// An operator with its arguments, so that it can be called again. Of a tensor, only type, shape and strides
/// are known, not the contents.
struct OperatorCall {
  /// The operator's name, e.g. "aten::addmm", with its overload if the overload is known: "aten::add.Tensor".
  std::string name;
  /// A list with one value for each argument: {"tensor": {"dtype", "shape", "strides"}}, an integer,
  /// {"double": "0.5"}, true or false, text, a list of such values, or null for None. The dtype of a tensor
  /// is null if it is not known.
  nlohmann::json arguments = nlohmann::json::array();

  bool operator==(const OperatorCall&) const = default;
};

template <class Fields>
void describe(Fields& fields, OperatorCall& call) {
  fields("operator", call.name);
  fields("arguments", call.arguments);
}

/// Calls `visit` with the description ({"dtype", "shape", "strides"}) of every tensor in these arguments,
/// including tensors in lists.
template <class Value, class Visit>
void for_each_tensor(Value& arguments, const Visit& visit) {
  for (auto& argument : arguments)
    if (argument.is_array())
      for_each_tensor(argument, visit);
    else if (argument.is_object() && argument.contains("tensor"))
      visit(argument.at("tensor"));
}

/// Returns the arguments of a recorded launch without the value id, storage id and offset of tensors, which
/// have a meaning only within their recording.
nlohmann::json arguments_without_identities(const nlohmann::json& recorded);

}  // namespace kjoule
