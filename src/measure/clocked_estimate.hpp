#pragma once
#include "measure/estimate.hpp"

namespace kjoule {

/// estimate() of rounds that hold ClockedLaunches.
SumEstimate estimate_clocked(const KernelTable& table, const std::vector<const ClockedLaunches*>& rounds);

}  // namespace kjoule
