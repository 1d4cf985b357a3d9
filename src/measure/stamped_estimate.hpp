#pragma once
#include "measure/estimate.hpp"

namespace kjoule {

/// estimate() of rounds that hold StampedLaunches.
///
/// Launch times are those that explain the distances between many stamps best (LaunchTimeFit), without what
/// the stamps change in them (StampEffect); the whole is the
/// distance between the stamps of the wholes' graphs without the cost of a stamp. Intervals come from the
/// jackknife over rounds, each with graphs of its own, so that they cover noise, drift and the difference
/// between graphs of the same launches.
SumEstimate estimate_stamped(const KernelTable& table, const TimedIteration& iteration,
                             const std::vector<const StampedLaunches*>& rounds,
                             const std::vector<double>& launch_shares);

}  // namespace kjoule
