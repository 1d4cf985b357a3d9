#pragma once
#include "importers/imported_table.hpp"
#include "recording/operator_call.hpp"

namespace kjoule {

/// Returns the call of an operator from what a profiler or recorder wrote about it. Throws Error with the
/// missing parts and with the way to record them.
OperatorCall make_operator_call(const LaunchingOperator& by);

}  // namespace kjoule
