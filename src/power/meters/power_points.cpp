#include "power/meters/power_points.hpp"

#include <cmath>
#include <utility>

namespace kjoule {

namespace {

/// The share of an interval after which the interval is complete. Readings are early as often as late, so a
/// full interval would often include one reading too many.
constexpr double kEarly = 0.9;

}  // namespace

std::optional<PowerPoint> PowerFromCounter::add(const MeterValue& reading) {
  const bool moved = seen_ && reading.value != seen_->value;
  const bool back = seen_ && reading.value < seen_->value;
  seen_ = reading;
  if (!moved) return {};
  if (!from_ || back) {
    from_ = reading;
    return {};
  }
  const double passed_s = static_cast<double>(reading.steady_ns - from_->steady_ns) * 1e-9;
  if (passed_s < least_s_ * kEarly) return {};
  const PowerPoint point{from_->unix_ns + (reading.unix_ns - from_->unix_ns) / 2,
                         (reading.value - from_->value) / passed_s};
  from_ = reading;
  return point;
}

bool PowerAverager::over(int64_t unix_ns) const {
  const double passed_s = static_cast<double>(unix_ns - first_ns_) * 1e-9;
  // If the wall clock was set back, the interval ends, because its end would come much later.
  return std::abs(passed_s) >= interval_s_ * kEarly;
}

std::optional<PowerPoint> PowerAverager::add(const PowerPoint& point) {
  auto ended = take_due(point.unix_ns);
  if (count_ == 0) first_ns_ = point.unix_ns;
  sum_after_first_ns_ += point.unix_ns - first_ns_;
  sum_w_ += point.watts;
  ++count_;
  return ended;
}

std::optional<PowerPoint> PowerAverager::take_due(int64_t unix_ns) {
  if (count_ == 0 || !over(unix_ns)) return {};
  return take_rest();
}

std::optional<PowerPoint> PowerAverager::take_rest() {
  if (count_ == 0) return {};
  const PowerPoint mean{first_ns_ + sum_after_first_ns_ / count_, sum_w_ / static_cast<double>(count_)};
  sum_after_first_ns_ = 0;
  sum_w_ = 0;
  count_ = 0;
  return mean;
}

}  // namespace kjoule
