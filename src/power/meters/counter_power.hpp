#pragma once
#include <cstdint>
#include <optional>

#include "power/meters/meter.hpp"

namespace kjoule {

/// Power at a moment.
struct PowerPoint {
  int64_t unix_ns = 0;
  double watts = 0;
};

/// Mean power between the moments at which an energy counter moved, at the middle between them.
class CounterPower {
 public:
  /// Each mean is over this long at least. A moment of moving is known to one reading, so a long span is a
  /// fine one.
  explicit CounterPower(double least_s) : least_s_(least_s) {}
  std::optional<PowerPoint> add(const Reading& reading);

 private:
  double least_s_;
  std::optional<Reading> seen_;  ///< the reading before, until the counter moves for the first time
  std::optional<Reading> from_;  ///< when it had just moved
};

/// Readings of a meter thinned to one point an interval, the mean of what came in it. The mean keeps the
/// energy right where a sample of samples would not.
class ThinnedPower {
 public:
  explicit ThinnedPower(double interval_s) : interval_s_(interval_s) {}
  /// The point that ended with this one, if one did.
  std::optional<PowerPoint> add(const PowerPoint& point);
  /// The point under way, when its interval is over at that time.
  std::optional<PowerPoint> take_due(int64_t unix_ns);
  /// The point under way, whatever the time.
  std::optional<PowerPoint> take_rest();

 private:
  bool over(int64_t unix_ns) const;

  double interval_s_;
  int64_t first_ns_ = 0;
  int64_t sum_after_first_ns_ = 0;
  double sum_w_ = 0;
  int64_t count_ = 0;
};

}  // namespace kjoule
