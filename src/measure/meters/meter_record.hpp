#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "power/meters/meter.hpp"

namespace kjoule {

/// The readings of a meter while work was replayed, and the mean power that follows from them.
///
/// A counter that changes in ticks is polled, and each poll sees a tick late by a random time (NVML on an
/// H200: 100.00 ms between ticks, polls of 3 to 7 ms). Ticks are equidistant, so phase and period are fitted
/// to the last 300 of them. The mean power between two ticks over their fitted distance scatters four times
/// less than over the distance at which they were seen. A poll that was delayed (other programs use the same
/// driver) does not show when a tick came, nor which tick it was: no mean begins or ends with it.
class MeterRecord {
 public:
  explicit MeterRecord(Meter& meter) : meter_(&meter), tick_s_(meter.facts().tick_s) {}
  /// Adds the meter's new readings. Throws Error if the meter has failed for good.
  void read();
  /// Returns the mean power, W, between two moments on the steady clock; nothing if fewer than two ticks, or
  /// no complete sample, lie between them.
  std::optional<double> mean_w(int64_t begin_ns, int64_t end_ns) const;
  Meter& meter() const { return *meter_; }

 private:
  /// A moment at which a change of the counter was seen, or the end of a power sample.
  struct Seen {
    int64_t ns;
    double value;
    int64_t tick = 0;  ///< number of the tick, counted from the first
    /// Time since the previous poll was requested; the tick came within it.
    int64_t poll_ns = 0;
  };
  /// The fitted times of ticks: first_s + tick x period_s, relative to the first reading.
  struct Fit {
    double first_s = 0, period_s = 0;
    double longest_poll_s = 0;  ///< the longest poll that is used
    /// A tick that was seen farther from its fitted time counts as having come when it was seen.
    double apart_s = 0;
  };
  void add_tick(const MeterValue& reading);
  /// Sets the number of a tick from the last one that was seen without delay.
  void number(size_t tick);
  /// Numbers all ticks again if they are not apart by the interval that the meter states.
  void measure_tick();
  /// Numbers all ticks with this sensor interval.
  void number_all(double tick_s);
  Fit fit() const;
  double at_s(const Seen& seen) const { return static_cast<double>(seen.ns - seen_.front().ns) * 1e-9; }
  std::optional<double> counted_w(int64_t begin_ns, int64_t end_ns) const;
  std::optional<double> sampled_w(int64_t begin_ns, int64_t end_ns) const;

  Meter* meter_;
  double tick_s_;               ///< sensor interval: as the meter states, until it is measured
  std::optional<double> last_;  ///< the counter's last value
  int64_t asked_ns_ = 0;        ///< time of the counter's last request
  /// Index of the counter's last tick that was seen by a poll without delay.
  size_t sure_ = 0;
  std::vector<Seen> seen_;
  std::vector<size_t> breaks_;  ///< indices at which the counter fell: energy across them is not known
};

/// Returns one record for each meter, in order, and announces load to the meters (Meter::expect_load()).
std::vector<MeterRecord> records_under_load(const std::vector<std::unique_ptr<Meter>>& meters);

}  // namespace kjoule
