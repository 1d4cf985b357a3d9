#pragma once
#include <cstdint>
#include <vector>

#include "measure/time/launch_times.hpp"
#include "measure/time/stamped_graph.hpp"

namespace kjoule {

/// The correction of launch times between dense stamps for the effect of the stamps.
struct StampEffect {
  double scale = 1;            ///< factor for the time of every launch
  double engine_switch_s = 0;  ///< time that is added to each launch that switches engines

  double unbroken_s(double seconds, bool switches_engine) const {
    return scale * seconds + (switches_engine ? engine_switch_s : 0);
  }
};

/// Returns the number of stamps per launch in these graphs.
double stamps_per_launch(const std::vector<const StampedGraph*>& graphs);

/// Returns the effect of stamps on launch times, from graphs with sparse stamps. Returns a StampEffect that
/// changes nothing if there are no such graphs.
///
/// `times` are the launch times between dense stamps, measured with `dense` stamps per launch. Each distance
/// between sparse stamps differs from the sum of these launch times. The differences are fitted, and
/// extrapolated linearly from the two densities of stamps to no stamps. `switches_engine` states for each
/// launch whether it switches engines.
///
/// A stamp interrupts the work for 0.6 us. On an H200, launches of compute-bound programs take 0.2 to 0.4 %
/// longer between dense stamps, and launches after a copy to or from the host up to 1.4 us less
/// (docs/design/method.md).
StampEffect find_stamp_effect(const FittedTimes& times, const std::vector<bool>& switches_engine,
                              double dense, const std::vector<const StampedGraph*>& sparse);

}  // namespace kjoule
