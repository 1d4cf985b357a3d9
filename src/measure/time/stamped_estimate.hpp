#pragma once
#include "measure/time/estimate.hpp"

namespace kjoule {

/// Returns the estimate from rounds of a StampedInstrument. estimate() calls this function for such rounds.
///
/// Launch times are fitted to the distances between dense stamps (LaunchTimeFit) and corrected for the effect
/// of the stamps (StampEffect). The whole is the distance between the two stamps of the wholes' graphs, minus
/// the cost of a stamp. Intervals come from the jackknife over rounds. Each round has its own graphs, so that
/// intervals include noise, drift and differences between graphs of the same launches. The interval of the
/// sum also includes the amount by which the instrument's error differs between runs.
SumEstimate estimate_stamped(const KernelTable& table, const TimedIteration& iteration,
                             const std::vector<const StampedLaunches*>& rounds,
                             const std::vector<double>& launch_shares);

}  // namespace kjoule
