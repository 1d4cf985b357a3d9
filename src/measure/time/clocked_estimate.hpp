#pragma once
#include "measure/time/estimate.hpp"

namespace kjoule {

/// Returns the estimate from rounds of ClockedLaunches; see estimate(), which chooses between the
/// instruments.
SumEstimate estimate_clocked(const KernelTable& table, const std::vector<const ClockedLaunches*>& rounds);

}  // namespace kjoule
