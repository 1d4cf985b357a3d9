#pragma once
#include <optional>
#include <vector>

#include "power/meters/meter.hpp"
#include "power/meters/power_points.hpp"

namespace kjoule {

/// Statistics of a meter's power while its device is idle.
struct IdleProfile {
  size_t points = 0;  ///< number of points
  double mean_w = 0;
  double spread_w = 0;  ///< standard deviation of the points
  double least_w = 0;   ///< lowest power of a point
  double most_w = 0;    ///< highest power of a point
  size_t blocks = 0;    ///< number of blocks from whose means the interval is computed
  double block_s = 0;   ///< length of a block
  /// 95 % interval of the mean; absent with fewer than two blocks, or if the meter is frozen
  std::optional<double> low_w{};
  std::optional<double> high_w{};
  /// Returns whether the meter is frozen: there are at least kFewSamples points, and all are equal.
  bool stands_still() const;
};

/// Returns the statistics of the points, or no value if there are no points. Neighbouring points are not
/// independent, so the interval is computed from the means of blocks of at least kAveragingTimes averaging
/// times of the meter.
std::optional<IdleProfile> profile_idle(const std::vector<PowerPoint>& points, const MeterFacts& facts,
                                        double duration_s);

}  // namespace kjoule
