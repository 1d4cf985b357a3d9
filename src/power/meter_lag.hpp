#pragma once
#include <algorithm>
#include <string>

#include "power/meters/meter.hpp"

namespace kjoule {

/// The times by which the readings of a meter follow the power later than it changes.
struct MeterLag {
  /// A reading is the mean power over this time before it, s.
  double averaging_s = 0;
  /// A reading may be older than its time by up to this, s: the sensor interval of a meter whose value is
  /// polled.
  double delay_s = 0;
  std::string from{};  ///< who states the averaging time
  /// The time of a reading may be wrong by up to this in both directions, s: that of a line with the readings
  /// of several meters.
  double time_error_s = 0;
};

/// Returns the lag of a meter that kjoule reads. A counter has none beyond its averaging time, because a
/// power between two of its changes is logged at their mean time; nor does a meter at the socket, which sends
/// each reading when it is complete.
inline MeterLag lag_of(const MeterFacts& meter) {
  const bool is_polled = meter.quantity == Quantity::power_w && meter.scope != Scope::system;
  return {meter.averaging_s, meter.delay_s.value_or(is_polled ? meter.tick_s : 0),
          meter.averaging_from.empty() ? "the meter " + meter.source : meter.averaging_from};
}

/// Returns the lag of a meter whose averaging time the user states. A delay that is longer than that is not
/// known to apply to this meter.
inline MeterLag stated_lag(const MeterLag& known, double averaging_s) {
  return {averaging_s, std::min(known.delay_s, averaging_s), "stated by the user"};
}

}  // namespace kjoule
