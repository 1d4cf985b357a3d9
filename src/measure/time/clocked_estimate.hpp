#pragma once
#include "measure/time/estimate.hpp"

namespace kjoule {

/// Returns the estimate from rounds of a ClockedInstrument. estimate() calls this function for such rounds.
SumEstimate estimate_clocked(const KernelTable& table, const std::vector<const ClockedLaunches*>& rounds);

}  // namespace kjoule
