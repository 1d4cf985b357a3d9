#pragma once
#include "recording/recording.hpp"
#include "simulated/power.hpp"

namespace kjoule {

/// Whether the launches of one segment meet the values that they met in the program. The first one does, for
/// state was put back; the first that is not the successor of the one before (behind the iteration's last
/// comes its first) does not, nor do all after it.
class MetValues {
 public:
  explicit MetValues(size_t launches) : launches_(static_cast<LaunchIndex>(launches)) {}

  /// The share of its dynamic energy that the launch, played next, takes.
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
