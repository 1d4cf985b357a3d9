#pragma once
#include "importers/imported_table.hpp"
#include "recording/operator_call.hpp"

namespace kjoule {

/// Returns the strides of a contiguous tensor, in elements. Throws Error if it is larger than any memory.
nlohmann::json contiguous_strides(const nlohmann::json& shape);

/// Returns the call of an operator, from the inputs that a profiler or kjoule recorded. If inputs are
/// missing, throws Error that names them and how to record them.
OperatorCall make_operator_call(const LaunchingOperator& by);

}  // namespace kjoule
