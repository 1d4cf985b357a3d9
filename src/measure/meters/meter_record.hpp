#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "power/counter_ticks.hpp"
#include "power/meters/meter.hpp"

namespace kjoule {

/// The readings of a meter while work is replayed, and the mean power that follows from these readings.
class MeterRecord {
 public:
  explicit MeterRecord(Meter& meter) : meter_(&meter), ticks_(meter.facts().tick_s) {}
  /// Adds the meter's new readings. Throws Error if the meter has failed for good.
  void read();
  /// Returns the mean power, W, between two times on the steady clock. Returns nothing if fewer than two
  /// ticks of a counter, or no complete power sample, lie between the two times.
  std::optional<double> mean_w(int64_t begin_ns, int64_t end_ns) const;
  Meter& meter() const { return *meter_; }

 private:
  bool is_counter() const { return meter_->facts().quantity == Quantity::energy_j; }
  std::optional<double> mean_of_samples(int64_t begin_ns, int64_t end_ns) const;

  Meter* meter_;
  CounterTicks ticks_;               ///< used if the meter is an energy counter
  std::vector<MeterValue> samples_;  ///< used if the meter reports power
};

/// Returns one record for each meter, in order, after calling Meter::expect_load() for each.
std::vector<MeterRecord> records_under_load(const std::vector<std::unique_ptr<Meter>>& meters);

}  // namespace kjoule
