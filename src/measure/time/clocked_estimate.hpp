#pragma once
#include "measure/time/estimate.hpp"

namespace kjoule {

/// Returns the estimate from rounds of ClockedLaunches. estimate() calls it for rounds of this instrument.
SumEstimate estimate_clocked(const KernelTable& table, const std::vector<const ClockedLaunches*>& rounds);

}  // namespace kjoule
