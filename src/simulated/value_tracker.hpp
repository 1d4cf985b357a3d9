#pragma once
#include "recording/recording.hpp"
#include "simulated/power.hpp"

namespace kjoule {

/// Tracks whether the launches of one segment read the same values as in the program. The first launch of the
/// segment does, because memory was restored. The others do as long as they have the program's order (in
/// which the first launch follows the last).
class ValueTracker {
 public:
  explicit ValueTracker(size_t launches) : launches_(static_cast<LaunchIndex>(launches)) {}

  /// Returns the share of its dynamic energy that `launch`, the next replayed one, consumes.
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
