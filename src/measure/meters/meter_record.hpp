#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "power/meters/meter.hpp"

namespace kjoule {

/// The readings of a meter while work is replayed, and the mean power that follows from them.
///
/// A counter that changes in ticks is polled, so each tick is seen late by a random time (NVML on an H200:
/// 100.00 ms between ticks, polls of 3 to 7 ms). Ticks are equidistant, so their phase and period are fitted
/// to the last 300 ticks. With fitted times of ticks, the mean power between two ticks scatters four times
/// less than with the times at which they were seen. A poll may be delayed by other programs that use the
/// driver. It then does not show when a tick came, nor which tick it was, and no mean begins or ends with it.
class MeterRecord {
 public:
  explicit MeterRecord(Meter& meter) : meter_(&meter), tick_s_(meter.facts().tick_s) {}
  /// Adds the meter's new readings. Throws Error if the meter cannot be read any more.
  void read();
  /// Returns the mean power between two times of the steady clock, W; nothing if fewer than two ticks of a
  /// counter, or no complete power sample, lie between them.
  std::optional<double> mean_w(int64_t begin_ns, int64_t end_ns) const;
  Meter& meter() const { return *meter_; }

 private:
  /// A tick of a counter, or a power sample.
  struct Seen {
    int64_t ns;        ///< time at which the tick was seen, or end of the power sample
    double value;      ///< J of a counter, W of a power sample
    int64_t tick = 0;  ///< number of the tick, counted from the first one
    /// Time since the request of the previous poll. The tick came within this time.
    int64_t poll_ns = 0;
  };
  /// The fitted times of ticks, relative to the first reading: first_s + tick x period_s.
  struct Fit {
    double first_s = 0, period_s = 0;
    double longest_poll_s = 0;  ///< longest duration of a poll that is used
    /// Largest distance between the fitted time of a tick and the time at which it was seen. For a larger
    /// distance, the latter time is used.
    double apart_s = 0;
  };
  void add_tick(const MeterValue& reading);
  /// Sets the number of the tick with this index, from the number of the last tick that was seen without
  /// delay.
  void number(size_t tick);
  /// Measures the sensor interval. Numbers all ticks again if it differs from the interval that the meter
  /// states.
  void measure_tick();
  /// Sets the sensor interval, and numbers all ticks again with it.
  void number_all(double tick_s);
  Fit fit() const;
  double at_s(const Seen& seen) const { return static_cast<double>(seen.ns - seen_.front().ns) * 1e-9; }
  std::optional<double> counted_w(int64_t begin_ns, int64_t end_ns) const;
  std::optional<double> sampled_w(int64_t begin_ns, int64_t end_ns) const;

  Meter* meter_;
  double tick_s_;               ///< sensor interval: that which the meter states, until it is measured
  std::optional<double> last_;  ///< last value of the counter
  int64_t asked_ns_ = 0;        ///< time of the last request to the counter
  /// Index of the last tick that was seen by a poll without delay.
  size_t sure_ = 0;
  std::vector<Seen> seen_;
  std::vector<size_t> breaks_;  ///< indices in seen_ at which the counter fell: unknown energy before them
};

/// Returns one record for each meter, in order, after calling Meter::expect_load() for each.
std::vector<MeterRecord> records_under_load(const std::vector<std::unique_ptr<Meter>>& meters);

}  // namespace kjoule
