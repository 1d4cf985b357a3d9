#pragma once
#include <optional>
#include <vector>

#include "power/meters/counter_power.hpp"
#include "power/meters/meter.hpp"

namespace kjoule {

/// Power of a meter at rest.
struct IdleProfile {
  size_t points = 0;
  double mean_w = 0;
  double spread_w = 0;  ///< standard deviation of the points
  double least_w = 0;
  double most_w = 0;
  size_t blocks = 0;
  double block_s = 0;
  /// 95 % interval of the mean; absent with fewer than two blocks.
  std::optional<double> low_w{};
  std::optional<double> high_w{};
};

/// Nothing when there are no points. Neighbouring points are not independent, so the interval is that of the
/// means of blocks, each several averaging times long.
std::optional<IdleProfile> profile_idle(const std::vector<PowerPoint>& points, const MeterFacts& facts,
                                        double duration_s);

}  // namespace kjoule
