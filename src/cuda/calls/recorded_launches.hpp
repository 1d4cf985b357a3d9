#pragma once
#include <vector>

#include "cuda/calls/call.hpp"
#include "cuda/driver/allocations.hpp"
#include "recording/recording.hpp"

namespace kjoule::cuda {

/// Returns the calls of an iteration as the launches of a Recording: readable name, tier, signature. A
/// signature contains only those argument words that distinguish kernels (argument_value_hashes). `device` is
/// the memory that launches may use: the program's device memory, and page-locked memory of the host.
std::vector<Launch> to_launches(const std::vector<Call>& calls, const Allocations& device);

}  // namespace kjoule::cuda
