#pragma once
#include <cstdint>
#include <vector>

#include "measure/launch_times.hpp"
#include "measure/stamped_graph.hpp"

namespace kjoule {

/// How the times of launches in the unbroken iteration differ from those with a stamp every few launches.
struct StampEffect {
  double scale = 1;            ///< of the time of every launch
  double engine_switch_s = 0;  ///< added to each launch that switches engines

  double unbroken_s(double seconds, bool switches_engine) const {
    return scale * seconds + (switches_engine ? engine_switch_s : 0);
  }
};

/// Stamps per launch in these graphs.
double stamps_per_launch(const std::vector<const StampedGraph*>& graphs);

/// Finds the effect from graphs with few stamps: what their stretches take beyond the times of their launches
/// in graphs with many (`times`, `dense` stamps per launch), extrapolated linearly from the two densities of
/// stamps to none. `switches_engine` is by launch. No effect where there are no such graphs.
///
/// Stamps interrupt the work every few microseconds, for 0.6 us each. On an H200 launches of compute-bound
/// programs take 0.2 to 0.4 % longer among them, and those after a copy to or from the host up to 1.4 us less
/// (docs/design/method.md).
StampEffect find_stamp_effect(const LaunchTimes& times, const std::vector<bool>& switches_engine,
                              double dense, const std::vector<const StampedGraph*>& sparse);

}  // namespace kjoule
