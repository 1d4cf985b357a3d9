#pragma once
#include "cuda/call.hpp"
#include "cuda/driver_calls.hpp"
#include "cuda/function_table.hpp"

namespace kjoule::cuda {

/// Returns the launch as a Call, which remains valid after the program's driver call: it contains the packed
/// arguments and the data that the host sends. Must not be called for graphs.
Call make_call(const LaunchView& view, FunctionTable& functions);

}  // namespace kjoule::cuda
