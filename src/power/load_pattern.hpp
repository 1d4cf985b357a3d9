#pragma once
#include <cstdint>
#include <vector>

#include "base/numbers/interval.hpp"
#include "power/logs/power_log.hpp"

namespace kjoule {

/// A moment at which a load began or ended, on the clock of the measured host.
struct LoadEdge {
  int64_t unix_ns = 0;
  bool begins = false;
};

/// A load pattern that shows in a power log how far the clock of the logging host is off. It is a Barker code
/// of 13 units: shifted against itself, it agrees with itself only without a shift.
struct LoadPattern {
  /// Begin and end of the time in which only the pattern ran; it begins and ends without load.
  int64_t begin_ns = 0, end_ns = 0;
  std::vector<LoadEdge> edges;
};

/// A period of the pattern, in units.
struct LoadPeriod {
  bool load = false;
  int units = 0;
};
/// Returns the periods of the pattern in order.
std::vector<LoadPeriod> load_periods();

/// The clock offset of a log.
struct ClockOffset {
  /// Seconds that are added to the log's times to have the measured host's, with a 95 % interval. A delay of
  /// the meter is part of it.
  Interval seconds;
  double load_w = 0;  ///< power of the load above the power without it
};

/// Finds the pattern in the readings of one meter, by time. `averaging_s` is the meter's averaging time;
/// offsets from `around_s - search_s` to `around_s + search_s` are tried. The interval contains the scatter
/// of the readings (where the sum of squared residuals rises significantly) and the time between readings,
/// which leaves each edge open. Throws Error if the pattern is not found.
ClockOffset find_offset(const std::vector<PowerSeries::Sample>& samples, const LoadPattern& pattern,
                        double averaging_s, double around_s, double search_s);

}  // namespace kjoule
