#pragma once
#include "cuda/calls/call.hpp"
#include "cuda/driver/allocations.hpp"

namespace kjoule::cuda {

/// Returns whether one end of a copy, or an argument of a kernel that is no collective, is device memory in
/// `allocations`. Pointers among a kernel's arguments are recognised by their values. In an argument with
/// more bytes than a pointer, only words from 2^40 on are taken for pointers: the lower word of a structure
/// may also be two small numbers. If it is a pointer after all, launches of several GPUs may be replayed in
/// another order, and the comparison of their results shows it.
bool uses_memory(const Call& call, const Allocations& allocations);

}  // namespace kjoule::cuda
