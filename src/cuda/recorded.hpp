#pragma once
#include <vector>

#include "cuda/call.hpp"
#include "cuda/ranges.hpp"
#include "recording/recording.hpp"

namespace kjoule::driver {

/// Returns the calls of an iteration as the launches of a Recording: readable name, tier, signature. A
/// signature contains only those argument words that distinguish kernels (inject::value_hashes). `device` is
/// the device memory that the program has allocated.
std::vector<Launch> described(const std::vector<Call>& calls, const inject::Ranges& device);

}  // namespace kjoule::driver
