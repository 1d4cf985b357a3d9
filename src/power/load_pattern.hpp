#pragma once
#include <cstdint>
#include <vector>

#include "base/numbers/interval.hpp"
#include "power/logs/power_log.hpp"

namespace kjoule {

/// A moment at which a load began or ended, on the clock of the measured host.
struct LoadEdge {
  int64_t unix_ns = 0;
  bool begins = false;  ///< whether the load begins here; otherwise it ends
};

/// A load pattern that shows in a power log how far the clock of the logging host is off. It is a Barker code
/// of 13 units, whose correlation with itself is high only at shift 0.
struct LoadPattern {
  /// Begin and end of the time in which only the pattern ran, in Unix ns. This time begins and ends without
  /// load.
  int64_t begin_ns = 0, end_ns = 0;
  std::vector<LoadEdge> edges;
};

/// A period of the pattern, with or without load.
struct LoadPeriod {
  bool load = false;
  int units = 0;  ///< length in units of the Barker code
};
/// Returns the periods of the pattern in order.
std::vector<LoadPeriod> load_periods();

/// The clock offset of a log.
struct ClockOffset {
  /// The seconds to add to the log's times to obtain those of the measured host, with a 95 % interval. They
  /// include the delay of the meter.
  Interval seconds;
  double load_w = 0;  ///< power with load minus power without load
};

/// Finds the pattern in the readings of one meter, which are sorted by time. `averaging_s` is the meter's
/// averaging time; offsets from `around_s - search_s` to `around_s + search_s` are tried. The half-width of
/// the interval combines the scatter of the readings (up to where the sum of squared residuals rises
/// significantly) and the time between readings, within which the times of the load's edges are not known.
/// Throws Error if the pattern is not found.
ClockOffset find_offset(const std::vector<PowerSeries::Sample>& samples, const LoadPattern& pattern,
                        double averaging_s, double around_s, double search_s);

}  // namespace kjoule
