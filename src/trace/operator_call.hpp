#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "trace/imported_table.hpp"

namespace kjoule {

/// An operator with all that is needed to call it again, except what stands in its tensors.
struct OperatorCall {
  std::string name;  ///< "aten::addmm"; with its overload, "aten::add.Tensor", where that is known
  /// One value for each argument: {"tensor": {"dtype", "shape", "strides"}}, a number, {"double": "0.5"},
  /// true or false, text, a list of values, null for none. A tensor's dtype is null where it is not known.
  nlohmann::json arguments = nlohmann::json::array();

  bool operator==(const OperatorCall&) const = default;
};

/// What a profiler or a recorder wrote of the operator, as a call. Throws Error that says what is missing and
/// how it comes into a trace.
OperatorCall operator_call(const LaunchingOperator& by);

/// The arguments of a recorded launch without what identifies values in that recording.
nlohmann::json arguments_without_identities(const nlohmann::json& recorded);

}  // namespace kjoule
