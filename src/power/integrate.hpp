#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers/interval.hpp"
#include "power/logs/power_log.hpp"

namespace kjoule {

/// A period of time, in Unix nanoseconds.
struct PowerWindow {
  int64_t begin_ns = 0, end_ns = 0;
  double seconds() const { return static_cast<double>(end_ns - begin_ns) * 1e-9; }
};

/// Energy and power of a log within a window.
struct WindowEnergy {
  PowerWindow window;
  size_t samples = 0;  ///< number of readings in the window; of several meters, the smallest number
  /// The energy, or no value if the log does not determine it. The interval contains the sampling errors, but
  /// not the systematic error of the meter.
  std::optional<Interval> joules;
  std::string missing;           ///< why joules is absent; otherwise empty
  double average_w = 0;          ///< joules divided by the window's length
  double peak_w = 0, min_w = 0;  ///< highest and lowest reading in the window
  double sample_interval_s = 0;  ///< median time between readings
  std::vector<PowerWindow>
      gaps;  ///< periods in the window without a reading, longer than 3 x sample_interval_s
  /// Time at both ends of the window, s, for which the first or the last reading was used, because the log
  /// has no reading before or after it.
  double bridged_s = 0;
  double bridged_j = 0;      ///< the part of the half-width of joules that is due to this time
  bool few_samples = false;  ///< whether there are fewer than kFewSamples readings
  bool frozen = false;       ///< whether the readings did not change in most of the window; then no energy
  /// Returns the sum of the gaps in s.
  double silent_s() const;
  /// Returns whether the meter was silent: one gap lasts 3 s or longer, or all gaps together a quarter of the
  /// window or longer. Shorter gaps are delays of a logger on a busy machine.
  bool silent() const;
  /// Returns whether the readings of the window make its energy doubtful.
  bool flagged() const { return few_samples || frozen || !gaps.empty(); }
};

/// Fewer readings than this make the energy of a window doubtful; as many equal ones are no chance.
constexpr size_t kFewSamples = 10;

/// The longest time by which a window may exceed the log at each end, in median times between readings: a
/// logger that is stopped right after a run has its last reading before the end of the run.
constexpr double kBridgedIntervals = 2;

/// The power of one meter as a function of time, linear between its readings.
class PowerCurve {
 public:
  /// `lag` says how far the readings lag behind the power; `clock_error_s` is the half-width of the clock
  /// offset between the log and the windows, s. `series` must outlive the curve.
  PowerCurve(const PowerSeries& series, const MeterLag& lag, double clock_error_s = 0);
  /// For a meter whose readings are means over `averaging_s` seconds, without delay.
  PowerCurve(const PowerSeries& series, double averaging_s) : PowerCurve(series, MeterLag{averaging_s}) {}

  /// Returns the energy of a window by the trapezoidal rule, with interpolated edges. The half-width of its
  /// interval is the root of the sum of the squares of these independent errors:
  /// - interpolation between readings: 1.96 sqrt(sum((change of power x time between readings)^2) / 2). This
  ///   is exact (95 %) for noise that is independent from reading to reading, and too wide for power that
  ///   changes slowly;
  /// - lag: readings that are means over the time tau, and up to the time d old, state the power tau / 2 + d
  ///   later at most. The energy then differs by this time x the difference between the power before the
  ///   begin and the power before the end. These two are known from the readings at begin and end, each
  ///   within the change of the readings in the time tau + d before it, or after it, whichever is smaller: if
  ///   the power changed before an edge, the readings change on both sides of it. What happens after the end
  ///   has no influence;
  /// - each edge: the range of power within the clock error of the edge x this error. It contains half of the
  ///   resolution of the timestamps;
  /// - each gap: (peak - minimum) x half the length of the gap;
  /// - each end that the log does not reach: the energy that is counted for this time. Up to
  ///   kBridgedIntervals are bridged at an end, with the power of the nearest reading. A window that exceeds
  ///   the log by more has no energy;
  /// - rounding of the readings: half of their last digit x the window's length.
  WindowEnergy energy(PowerWindow window) const;
  /// Returns the power in W at a time between the first and the last reading.
  double at(int64_t unix_ns) const;
  /// Returns whether the log reaches both ends of the window, apart from times that are bridged.
  bool covers(PowerWindow window) const { return uncovered(window).empty(); }

  const PowerSeries& series() const { return *series_; }
  double sample_interval_s() const { return sample_interval_s_; }
  double power_step_w() const { return power_step_w_; }

 private:
  size_t first_at_or_after(int64_t unix_ns) const;
  /// Returns why the log does not cover the window; empty if it does.
  std::string uncovered(PowerWindow window) const;
  /// Returns the time for which the window exceeds the readings at its begin, and at its end, s.
  std::pair<double, double> bridged_s(PowerWindow window) const;
  /// Returns the longest period in the window in which at least kFewSamples readings were equal, or an empty
  /// period. `[first, last)` are the readings in the window; kFewSamples readings on each side of the window
  /// are also examined.
  PowerWindow frozen_period(PowerWindow window, size_t first, size_t last) const;
  /// Returns the difference between the highest and the lowest power from `begin_ns` to `end_ns`, W.
  double range_w(int64_t begin_ns, int64_t end_ns) const;
  /// Returns how much the readings change before an edge of a window or after it, whichever is less, W.
  double change_w(int64_t edge_ns) const;
  /// Returns the half-width of the error that the MeterLag causes in the energy, J.
  double lag_joules(PowerWindow window) const;
  /// Returns the half-width of the energy's error at an edge because of the clock error, J.
  double clock_joules(int64_t edge_ns) const;
  /// Sets the energy of a window that the log covers and that contains the readings [first, last).
  void integrate(WindowEnergy& result, size_t first, size_t last) const;

  const PowerSeries* series_;
  MeterLag lag_;
  double clock_error_s_;
  double sample_interval_s_ = 0;  ///< median time between readings
  double gap_limit_s_ = 0;        ///< the longest time between two readings that is no gap, s
  double power_step_w_ = 0;       ///< one unit of the readings' last digit, W; 0 if it is below 0.1 mW
  double time_step_s_ = 0;        ///< 1 if every timestamp is a whole second, otherwise 0
};

/// Returns the energy and power of several meters together. Peak and minimum are those of the summed power.
/// The energy is absent if that of any meter is absent.
WindowEnergy total_energy(const std::vector<PowerCurve>& curves, PowerWindow window);

}  // namespace kjoule
