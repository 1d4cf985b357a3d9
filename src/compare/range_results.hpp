#pragma once
#include <string>
#include <vector>

#include "compare/result.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// Returns the ranges (NVTX) that were open around launches of the iteration: each range after the one that
/// contains it, in the order of their first launches. Ranges of one name within the same range are one.
/// `launch_s` has the time of each launch in context; `kernels` has the intervals and energies.
std::vector<RangeResult> range_results(const Recording& recording, const std::vector<double>& launch_s,
                                       const std::vector<KernelResult>& kernels);

}  // namespace kjoule
