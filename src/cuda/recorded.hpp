#pragma once
#include <vector>

#include "cuda/call.hpp"
#include "cuda/ranges.hpp"
#include "recording/recording.hpp"

namespace kjoule::driver {

/// The calls of an iteration as a Recording has them: readable name, tier, signature. Only those words of
/// arguments that tell kernels apart count for a signature (inject::value_hashes). `device` is the device
/// memory that the program holds.
std::vector<Launch> described(const std::vector<Call>& calls, const inject::Ranges& device);

}  // namespace kjoule::driver
