#pragma once
#include "measure/busy_device.hpp"
#include "measure/instrument.hpp"

namespace kjoule {

/// For devices that a reading of the clock would disturb (GPUs): graphs of the unbroken iteration with many
/// or few stamps at places that are drawn anew for every graph, and graphs of the whole, played in shuffled
/// order.
///
/// A round makes its graphs and closes them again: graphs of the same launches differ by 0.1 to 1 %, so that
/// many graphs are needed, while few exist at once.
class StampedInstrument final : public Instrument {
 public:
  StampedInstrument(Device& device, const Clock& clock, const TimedIteration& iteration,
                    const StampedPlan& plan);
  Round measure(int number) override;
  size_t fewest_rounds() const override { return 8; }

 private:
  /// A graph and the readings of its plays.
  struct OpenGraph {
    std::vector<uint32_t> after;
    std::unique_ptr<Track> track;
    std::vector<double> seconds;
    std::vector<double> clock_hz;
  };
  OpenGraph open(std::vector<uint32_t> after);
  std::vector<OpenGraph> open_round(int number);
  std::vector<uint32_t> draw_places(uint32_t largest_gap, uint64_t seed) const;
  void play_shuffled(std::vector<OpenGraph>& graphs, int number);

  Device& device_;
  BusyDevice busy_;
  const Clock& clock_;
  StampedPlan plan_;
  std::vector<bool> may_stamp_;
  std::vector<LaunchIndex> launches_;  ///< of a graph
  uint32_t first_ = 0, last_ = 0;      ///< places of the whole's stamps in it
};

}  // namespace kjoule
