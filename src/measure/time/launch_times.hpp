#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "measure/time/stamped_graph.hpp"

namespace kjoule {

/// The times that fit the distances between stamps best. Each list has one element for each launch.
struct FittedTimes {
  std::vector<double> seconds;  ///< time of each launch
  /// Time that a stamp after the launch adds. For a launch that no stamp follows in any graph, this is the
  /// typical cost of a stamp.
  std::vector<double> stamp_cost_s;
  std::vector<double> variance_s2;  ///< variance of the launch's time between replays, s^2
  double stamp_variance_s2 = 0;     ///< variance of a stamp's cost between replays, s^2
};

/// Least-squares fit of launch times to the distances between stamps. The distance from the stamp after
/// position p to the stamp after position q is f(p) + c(p+1) + ... + c(q), where f is the cost of a stamp and
/// c the time of a launch (docs/design/method.md).
///
/// The fit is weighted. The variance of a distance is the variance of a stamp plus the variances of the
/// launches in the distance; these variances are fitted to the spreads of the distances over replays.
/// Launches that are never separated by a stamp get equal parts of their total time. If only the sum of a
/// stamp's cost and the time of the next launch is known (at the beginning of every graph), the stamp gets
/// the typical cost. If the time of a launch varies much, a part of its error goes to the next launch,
/// because only segments with both launches separate the next launch from the stamp before it.
class LaunchTimeFit {
 public:
  /// Throws Error if a graph has fewer than two stamps or is inconsistent.
  LaunchTimeFit(size_t launches, const std::vector<StampedGraph>& graphs);
  /// Returns the times that fit all graphs.
  FittedTimes times() const;
  /// Returns the times that fit only the graphs for which `used` is true. The weights are those from all
  /// graphs.
  FittedTimes times_of(const std::vector<bool>& used) const;

 private:
  struct Equations;
  std::shared_ptr<const Equations> equations_;
};

}  // namespace kjoule
