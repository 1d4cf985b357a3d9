#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "measure/time/stamped_graph.hpp"

namespace kjoule {

/// The times of an iteration's launches that fit the distances between stamps, by launch.
struct FittedTimes {
  std::vector<double> seconds;
  /// Time that a stamp after this launch adds. For a launch that was never followed by a stamp, it is the
  /// typical cost.
  std::vector<double> stamp_cost_s;
  /// Variance between replays, s^2, of this launch's time, and of a stamp.
  std::vector<double> variance_s2;
  double stamp_variance_s2 = 0;
};

/// Least-squares fit of launch times to the distances between stamps. The distance from the stamp after
/// position p to the stamp after position q is f(p) + c(p+1) + ... + c(q), where f is the cost of a stamp and
/// c the time of a launch (docs/design/method.md).
///
/// The fit is weighted: the variance of a distance is that of a stamp plus those of its launches, all of
/// which are fitted to the spreads over replays. Launches that are never separated by a stamp share their
/// common time equally. If only the sum of a stamp's cost and the next launch's time is known (where every
/// graph begins), the stamp has the typical cost. If the time of a launch varies much, the next launch bears
/// a part of its error, because only segments that contain both separate the next launch from the stamp
/// before it.
class LaunchTimeFit {
 public:
  /// Throws Error if there are no two stamps in a graph, or a graph is inconsistent.
  LaunchTimeFit(size_t launches, const std::vector<StampedGraph>& graphs);
  /// Returns the times that fit all graphs.
  FittedTimes times() const;
  /// Returns the times that fit the graphs for which `used` is true. The weights remain those of all graphs.
  FittedTimes times_of(const std::vector<bool>& used) const;

 private:
  struct Equations;
  std::shared_ptr<const Equations> equations_;
};

}  // namespace kjoule
