#pragma once
#include "cuda/calls/call.hpp"
#include "cuda/calls/driver_calls.hpp"
#include "cuda/calls/function_table.hpp"

namespace kjoule::cuda {

/// Returns the launch as a Call, which remains valid after the program's driver call has ended: it contains
/// the packed arguments and the data that the host sends. Must not be called for graphs.
Call make_call(const LaunchView& view, FunctionTable& functions);
/// Returns the bytes of host memory that make_call() allocates for a copy; 0 for a copy within the device.
size_t host_bytes(const CopyCall& copy);

}  // namespace kjoule::cuda
