#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "power/meters/meter.hpp"
#include "power/power_readings.hpp"

namespace kjoule {

/// The ticks of an energy counter that is polled: its changes, and the times at which they came.
///
/// Each poll sees a tick late by a random time (NVML on an H200: 100.00 ms between ticks, polls of 3 to 7
/// ms). Ticks are equidistant, so phase and period are fitted to up to 300 of them. The mean power between
/// two ticks over their fitted distance scatters four times less than over the distance at which they were
/// seen. A poll that was delayed (other programs use the same driver) does not show when a tick came, nor
/// which tick it was: no mean power begins or ends with it.
class CounterTicks {
 public:
  /// `tick_s` is the time between two ticks that the meter states, s. If polls are short enough, it is
  /// measured instead.
  explicit CounterTicks(double tick_s) : stated_s_(tick_s), tick_s_(tick_s) {}
  /// Adds a value of the counter. The values come in the order of their times.
  void add(const MeterValue& value);
  /// Returns the mean power, W, between two times on the steady clock; nothing if fewer than two ticks lie
  /// between them, or if the counter fell.
  std::optional<double> mean_w(int64_t begin_ns, int64_t end_ns) const;
  /// Returns the mean power from each tick to the next one.
  std::vector<PowerReading> readings() const;

 private:
  /// A change of the counter, at the time at which a poll saw it.
  struct Tick {
    int64_t ns;
    double joules;
    int64_t number = 0;   ///< counted from the first tick
    int64_t poll_ns = 0;  ///< time since the previous poll was requested; the tick came within it
  };
  /// The fitted times of ticks: first_s + number x period_s, relative to the first tick. Without a fit, a
  /// tick counts as having come when it was seen.
  struct Fit {
    double first_s = 0, period_s = 0;
    double longest_poll_s = 0;  ///< the longest poll that is used
    /// A tick that was seen farther from its fitted time counts as having come when it was seen.
    double apart_s = 0;
    bool is_fitted = false;
  };
  /// Sets the number of a tick from the last one that was seen without delay.
  void number(size_t tick);
  /// Numbers all ticks again if their distance is not the one that the meter states.
  void measure_tick();
  /// Numbers all ticks with this distance between them.
  void number_all(double tick_s);
  /// Fits the times of up to 300 ticks that end before the tick `end`.
  Fit fit(size_t end) const;
  double seen_s(const Tick& tick) const { return static_cast<double>(tick.ns - ticks_.front().ns) * 1e-9; }
  double came_s(const Tick& tick, const Fit& fit) const;
  bool falls_between(size_t first, size_t last) const;

  double stated_s_;
  double tick_s_;               ///< time between two ticks: as the meter states, until it is measured
  std::optional<double> last_;  ///< the last value, J
  int64_t asked_ns_ = 0;        ///< time of the last request
  size_t sure_ = 0;             ///< the last tick that was seen by a poll without delay
  std::vector<Tick> ticks_;
  std::vector<size_t> falls_;  ///< ticks before which the counter fell: the energy up to them is not known
};

}  // namespace kjoule
