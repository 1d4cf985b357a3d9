#pragma once
#include <cstdint>
#include <vector>

#include "measure/time/launch_times.hpp"
#include "measure/time/stamped_graph.hpp"

namespace kjoule {

/// The difference between launch times without stamps and launch times between dense stamps.
struct StampEffect {
  double scale = 1;            ///< factor on the time of every launch
  double engine_switch_s = 0;  ///< time added to each launch that switches engines

  double unbroken_s(double seconds, bool switches_engine) const {
    return scale * seconds + (switches_engine ? engine_switch_s : 0);
  }
};

/// Returns the number of stamps per launch in these graphs.
double stamps_per_launch(const std::vector<const StampedGraph*>& graphs);

/// Returns the effect of stamps, found from graphs with sparse stamps; no effect if there are none.
///
/// The excess of each distance between sparse stamps over the launch times between dense stamps (`times`,
/// measured with `dense` stamps per launch) is fitted, and then extrapolated linearly from the two densities
/// to no stamps. `switches_engine` is by launch.
///
/// A stamp interrupts the work for 0.6 us. On an H200, launches of compute-bound programs take 0.2 to 0.4 %
/// longer between dense stamps, and launches after a copy to or from the host up to 1.4 us less
/// (docs/design/method.md).
StampEffect find_stamp_effect(const FittedTimes& times, const std::vector<bool>& switches_engine,
                              double dense, const std::vector<const StampedGraph*>& sparse);

}  // namespace kjoule
