#pragma once
#include "measure/time/estimate.hpp"

namespace kjoule {

/// Returns the estimate from rounds of StampedLaunches. estimate() calls it for rounds of this instrument.
///
/// Launch times are fitted to the distances between dense stamps (LaunchTimeFit) and corrected for the effect
/// of the stamps (StampEffect). The whole is the distance between the two stamps of the wholes' graphs, minus
/// the cost of a stamp. Intervals come from the jackknife over rounds. Each round has its own graphs, so
/// intervals include noise, drift and the difference between graphs of the same launches. The interval of the
/// sum also includes the error of the instrument between runs.
SumEstimate estimate_stamped(const KernelTable& table, const TimedIteration& iteration,
                             const std::vector<const StampedLaunches*>& rounds,
                             const std::vector<double>& launch_shares);

}  // namespace kjoule
