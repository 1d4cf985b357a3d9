#pragma once
#include <cstdint>
#include <optional>

#include "power/meters/meter.hpp"

namespace kjoule {

/// The power at one time.
struct PowerPoint {
  int64_t unix_ns = 0;
  double watts = 0;
};

/// Converts an energy counter to power: each point is the mean power between two changes of the counter, with
/// the time in the middle between them.
class PowerFromCounter {
 public:
  /// `least_s` is the shortest time over which one mean is computed. The time of a change is known only to
  /// within the time between two readings, so means over a longer time are more precise.
  explicit PowerFromCounter(double least_s) : least_s_(least_s) {}
  /// Adds a reading. Returns the mean that it completes, if any.
  std::optional<PowerPoint> add(const MeterValue& reading);

 private:
  double least_s_;
  std::optional<MeterValue> seen_;  ///< the previous reading
  /// The first reading of the present mean, just after a change of the counter.
  std::optional<MeterValue> from_;
};

/// Reduces a meter's readings to one point per interval, the mean of the interval's readings. Means preserve
/// the energy; single readings would not.
class PowerAverager {
 public:
  explicit PowerAverager(double interval_s) : interval_s_(interval_s) {}
  /// Adds a reading. Returns the point of the previous interval if this reading begins a new one.
  std::optional<PowerPoint> add(const PowerPoint& point);
  /// Returns the point of the present interval if the interval is over at the time `unix_ns`.
  std::optional<PowerPoint> take_due(int64_t unix_ns);
  /// Returns the point of the present interval, complete or not.
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
