#pragma once
#include <optional>
#include <vector>

#include "power/meters/meter.hpp"
#include "power/meters/power_points.hpp"

namespace kjoule {

/// Statistics of a meter's power while its device is idle.
struct IdleProfile {
  size_t points = 0;
  double mean_w = 0;
  double spread_w = 0;  ///< standard deviation of the points
  double least_w = 0;
  double most_w = 0;
  size_t blocks = 0;
  double block_s = 0;
  /// 95 % interval of the mean; nullopt with fewer than two blocks, and if the meter stands still
  std::optional<double> low_w{};
  std::optional<double> high_w{};
  /// Returns whether all points are equal, and too many for that to be chance.
  bool stands_still() const;
};

/// Returns the statistics of the points, or nullopt if there are none. Neighbouring points are not
/// independent, so the interval is computed from the means of blocks, each of which is several averaging
/// times of the meter long.
std::optional<IdleProfile> profile_idle(const std::vector<PowerPoint>& points, const MeterFacts& facts,
                                        double duration_s);

}  // namespace kjoule
