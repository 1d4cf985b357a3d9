#pragma once
#include <string>
#include <vector>

#include "compare/iteration/comparison.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// Returns the ranges (NVTX) that were open around launches of the iteration, in the order of their first
/// launches; a range comes before the ranges that it contains. Ranges with the same name within the same
/// outer ranges count as one. `launch_s` has the time of each launch in context, s; `kernels` has the
/// intervals and energies.
std::vector<RangeResult> range_results(const Recording& recording, const std::vector<double>& launch_s,
                                       const std::vector<KernelResult>& kernels);

}  // namespace kjoule
