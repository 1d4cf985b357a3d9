#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "measure/stamped_graph.hpp"

namespace kjoule {

/// By launch of an iteration.
struct LaunchTimes {
  std::vector<double> seconds;
  /// What it costs that a stamp comes between a launch and the next one; what is typical where none ever
  /// came.
  std::vector<double> stamp_cost_s;
};

/// The times of launches that explain the stretches between stamps best. A stretch from the stamp after
/// position p to the stamp after position q takes what the stamp after p costs, and the times of the launches
/// p + 1 to q.
///
/// Weighted least squares: the variance of a stretch is that of a stamp and those of its launches, all of
/// them fitted to the spreads of the plays. Launches that no stamp ever parts share their common time evenly.
/// Where stretches tell only a stamp and the launch after it together (at a place where every graph begins),
/// the stamp costs what is typical. Of a launch whose time varies much, the next one bears a part of the
/// error: what tells that one from the stamp before it are only stretches through the former.
class LaunchTimeFit {
 public:
  /// Throws Error when there is no stretch, or the graphs contradict themselves.
  LaunchTimeFit(size_t launches, const std::vector<StampedGraph>& graphs);
  LaunchTimes times() const;
  /// The times from those of the graphs for which `used` is true. The weights stay.
  LaunchTimes times_of(const std::vector<bool>& used) const;

 private:
  struct Equations;
  std::shared_ptr<const Equations> equations_;
};

}  // namespace kjoule
