#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace kjoule {

/// An operator and everything needed to call it again, except the contents of its tensors.
struct OperatorCall {
  /// Such as "aten::addmm"; includes the overload, as in "aten::add.Tensor", if that is known.
  std::string name;
  /// One value for each argument: {"tensor": {"dtype", "shape", "strides"}}, a number, {"double": "0.5"},
  /// true or false, text, a list of values, or null for None. A tensor's dtype is null if it is not known.
  nlohmann::json arguments = nlohmann::json::array();

  bool operator==(const OperatorCall&) const = default;
};

template <class Fields>
void describe(Fields& fields, OperatorCall& call) {
  fields("operator", call.name);
  fields("arguments", call.arguments);
}

/// Calls `visit` with the description of every tensor in these arguments, including tensors in lists.
template <class Value, class Visit>
void for_each_tensor(Value& arguments, const Visit& visit) {
  for (auto& argument : arguments)
    if (argument.is_array())
      for_each_tensor(argument, visit);
    else if (argument.is_object() && argument.contains("tensor"))
      visit(argument.at("tensor"));
}

/// Returns the arguments of a recorded launch without the fields that identify values in that recording.
nlohmann::json arguments_without_identities(const nlohmann::json& recorded);

}  // namespace kjoule
