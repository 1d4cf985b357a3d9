#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "power/meter.hpp"

namespace kjoule {

/// What a meter said while work was played, and the mean power that follows from it.
///
/// A counter that moves in ticks is polled, and each poll sees it late at random (NVML on an H200: 100.00 ms
/// between ticks, polls of 3 to 7 ms). Its ticks come at equal distances, so phase and period are fitted to
/// all that were seen; the energy between two of them over their fitted distance scatters four times less
/// than over the distance at which they were seen.
class MeterRecord {
 public:
  explicit MeterRecord(Meter& meter) : meter_(&meter) {}
  /// Takes what the meter has. Throws Error when it has gone for good.
  void read();
  /// Mean power of what lies within; nothing where fewer than two ticks, or no whole sample, do.
  std::optional<double> mean_w(int64_t begin_ns, int64_t end_ns) const;
  Meter& meter() const { return *meter_; }

 private:
  /// A moment at which the counter was seen to have moved, or the end of a power sample.
  struct Seen {
    int64_t ns;
    double value;
    int64_t tick = 0;  ///< counted from the first
  };
  /// When ticks really come: first + tick x period, from the steady time of the first, s.
  struct Fit {
    double first_s, period_s;
  };
  void add_tick(const Reading& reading);
  Fit fit() const;
  std::optional<double> counted_w(int64_t begin_ns, int64_t end_ns) const;
  std::optional<double> sampled_w(int64_t begin_ns, int64_t end_ns) const;

  Meter* meter_;
  std::optional<double> last_;  ///< of a counter, the value read last
  std::vector<Seen> seen_;
  std::vector<size_t> breaks_;  ///< where the counter jumped back: nothing is known across them
};

/// One a meter, in order. The meters are told that load comes.
std::vector<MeterRecord> records_under_load(const std::vector<std::unique_ptr<Meter>>& meters);

}  // namespace kjoule
