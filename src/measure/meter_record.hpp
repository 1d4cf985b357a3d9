#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "power/meters/meter.hpp"

namespace kjoule {

/// What a meter said while work was played, and the mean power that follows from it.
///
/// A counter that moves in ticks is polled, and each poll sees it late at random (NVML on an H200: 100.00 ms
/// between ticks, polls of 3 to 7 ms). Its ticks come at equal distances, so phase and period are fitted to
/// all that were seen; the energy between two of them over their fitted distance scatters four times less
/// than over the distance at which they were seen. A poll that was held up (other programs ask
/// the same driver) tells neither when a tick came nor which it was: no reading begins or ends with it.
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
    int64_t tick = 0;     ///< counted from the first
    int64_t held_ns = 0;  ///< from when the poll before was asked: it came between then and `ns`
  };
  /// When ticks really come: first + tick x period, from the steady time of the first, s.
  struct Fit {
    double first_s = 0, period_s = 0;
    double held_s = 0;   ///< the longest poll that tells something
    double apart_s = 0;  ///< ticks seen farther off came when they were seen
  };
  void add_tick(const Reading& reading);
  Fit fit() const;
  double at_s(const Seen& seen) const { return static_cast<double>(seen.ns - seen_.front().ns) * 1e-9; }
  std::optional<double> counted_w(int64_t begin_ns, int64_t end_ns) const;
  std::optional<double> sampled_w(int64_t begin_ns, int64_t end_ns) const;

  Meter* meter_;
  std::optional<double> last_;  ///< of a counter, the value read last
  int64_t asked_ns_ = 0;        ///< of a counter, when it was asked last
  size_t sure_ = 0;             ///< of a counter, the last one seen by a poll that was not held up
  std::vector<Seen> seen_;
  std::vector<size_t> breaks_;  ///< where the counter jumped back: nothing is known across them
};

/// One a meter, in order. The meters are told that load comes.
std::vector<MeterRecord> records_under_load(const std::vector<std::unique_ptr<Meter>>& meters);

}  // namespace kjoule
