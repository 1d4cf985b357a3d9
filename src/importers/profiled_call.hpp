#pragma once
#include "importers/imported_table.hpp"
#include "recording/operator_call.hpp"

namespace kjoule {

/// Returns the call of an operator that a profiler or a recorder described. Throws Error that says what is
/// missing and how it gets into a trace.
OperatorCall operator_call(const LaunchingOperator& by);

}  // namespace kjoule
