#pragma once
#include "cuda/allocations.hpp"
#include "cuda/driver_calls.hpp"
#include "cuda/function_table.hpp"

namespace kjoule::cuda {

/// Returns a hash of the words of a launch that are addresses in the program's allocations, with their
/// positions; 0 if there are none. A structure that is passed by value counts word by word. Launches with
/// equal hashes use the same memory. Must not be called for graphs.
uint64_t hash_pointers(const LaunchView& view, const Allocations& allocations, FunctionTable& functions);

}  // namespace kjoule::cuda
