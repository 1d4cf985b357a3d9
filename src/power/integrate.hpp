#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/interval.hpp"
#include "power/logs/power_log.hpp"

namespace kjoule {

/// From and to, in Unix nanoseconds.
struct PowerWindow {
  int64_t begin_ns = 0, end_ns = 0;
  double seconds() const { return static_cast<double>(end_ns - begin_ns) * 1e-9; }
};

/// What a log says of a window.
struct WindowEnergy {
  PowerWindow window;
  size_t samples = 0;  ///< readings inside; of several meters, those of the one with fewest
  /// Nothing when the log cannot tell. Its interval holds what sampling leaves open: not the meter's own
  /// accuracy.
  std::optional<Interval> joules;
  std::string missing;            ///< why there are no joules
  double average_w = 0;           ///< joules over seconds
  double peak_w = 0, min_w = 0;   ///< of the readings inside
  double resolution_s = 0;        ///< median time between readings
  std::vector<PowerWindow> gaps;  ///< within the window, where nothing was read for over 3 of these
  bool few_samples = false;       ///< under kFewSamples
  bool frozen = false;            ///< all readings are equal
  bool flagged() const { return few_samples || frozen || !gaps.empty(); }
};

constexpr size_t kFewSamples = 10;

/// The power of one meter as a function of time: straight lines between its readings.
class PowerCurve {
 public:
  /// `averaging_s` is the time over which the meter averages before it shows a reading. Refers to `series`.
  PowerCurve(const PowerSeries& series, double averaging_s);

  /// Energy by the trapezoidal rule, with interpolated edges. The interval adds, in squares, independent
  /// errors:
  /// - of each reading as what stands for its time: 2 sqrt(sum((change x time between readings)^2) / 2),
  /// which is exact
  ///   for noise that is independent from reading to reading, and too wide for what changes slowly;
  /// - at each edge: how far power moves within tau of it, x tau / 2. tau is the largest of the time between
  /// readings, of
  ///   the averaging time (a mean of the last tau seconds comes tau / 2 late) and of the timestamps' own
  ///   step;
  /// - of each gap: peak - minimum x half its length;
  /// - of the readings' last digit: half of it, x the window's length.
  WindowEnergy energy(PowerWindow window) const;
  /// Watts at a time between the first reading and the last.
  double at(int64_t unix_ns) const;

  const PowerSeries& series() const { return *series_; }
  double resolution_s() const { return resolution_s_; }
  double power_step_w() const { return power_step_w_; }

 private:
  size_t first_at_or_after(int64_t unix_ns) const;
  /// Why the window cannot be told, from where the log begins and ends; empty when it is covered.
  std::string uncovered(PowerWindow window) const;
  double edge_joules(int64_t edge_ns) const;
  /// Sets the energy of a covered window, of which readings [first, last) are inside.
  void integrate(WindowEnergy& result, size_t first, size_t last) const;

  const PowerSeries* series_;
  double averaging_s_;
  double resolution_s_ = 0;  ///< median time between readings
  double power_step_w_ = 0;  ///< their last digit; 0 when it is below 0.1 mW
  double time_step_s_ = 0;   ///< 1 when every timestamp is a whole second
};

/// The sum over several meters; peak and minimum are those of the sum. Without a number when one of them has
/// none.
WindowEnergy total_energy(const std::vector<PowerCurve>& curves, PowerWindow window);

}  // namespace kjoule
