#pragma once
#include "recording/recording.hpp"
#include "simulated/power.hpp"

namespace kjoule {

/// Tracks whether the launches of one segment read the same values as in the program. The first one does,
/// because memory was restored. From the first launch on that does not follow its predecessor in the program
/// (the first launch follows the last), no launch does.
class ValueTracker {
 public:
  explicit ValueTracker(size_t launches) : launches_(static_cast<LaunchIndex>(launches)) {}

  /// Returns the share of its dynamic energy that the next replayed launch takes.
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
