#pragma once
#include "recording/recording.hpp"
#include "simulated/power.hpp"

namespace kjoule {

/// Tracks whether the launches of one segment read the same values as in the program. The first launch of the
/// segment reads the same values, because memory was restored before. Each later launch reads the same values
/// as long as all launches so far have the program's order, in which the iteration's first launch follows its
/// last launch.
class ValueTracker {
 public:
  explicit ValueTracker(size_t launches) : launches_(static_cast<LaunchIndex>(launches)) {}

  /// Returns the share of its dynamic energy that `launch`, the next replayed launch, consumes: less than 1
  /// if it reads other values than in the program.
  double share(LaunchIndex launch) {
    right_ = right_ && (next_ == any || next_ == launch);
    next_ = (launch + 1) % launches_;
    return right_ ? 1 : SimulatedPower::wrong_values_share;
  }

 private:
  static constexpr LaunchIndex any = ~LaunchIndex{0};
  LaunchIndex launches_;
  LaunchIndex next_ = any;
  bool right_ = true;
};

}  // namespace kjoule
