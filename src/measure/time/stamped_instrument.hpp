#pragma once
#include "measure/time/busy_device.hpp"
#include "measure/time/instrument.hpp"

namespace kjoule {

/// The instrument for devices that would be disturbed by reading the clock between launches (GPUs). A round
/// contains graphs of the unbroken iteration with dense or sparse stamps, at random places that differ from
/// graph to graph, and a graph of the whole. The graphs are replayed in shuffled order.
///
/// The graphs of a round are closed at the end of the round. Many graphs are needed, because the times of
/// graphs of the same launches differ by 0.1 to 1 %; but only a few graphs may exist at the same time.
class StampedInstrument final : public Instrument {
 public:
  StampedInstrument(Device& device, const Clock& clock, const TimedIteration& iteration,
                    const StampedPlan& plan);
  Round measure(int number) override;
  size_t fewest_rounds() const override { return 8; }

 private:
  /// A graph and the times of its replays.
  struct OpenGraph {
    std::vector<uint32_t> stamped_after;
    std::unique_ptr<Track> track;
    std::vector<double> seconds;
    std::vector<double> clock_hz;
  };
  OpenGraph open(std::vector<uint32_t> stamped_after);
  std::vector<OpenGraph> open_round(int number);
  std::vector<uint32_t> draw_places(uint32_t largest_gap, uint64_t seed) const;
  void replay_shuffled(std::vector<OpenGraph>& graphs, int number);

  Device& device_;
  BusyDevice busy_;
  const Clock& clock_;
  StampedPlan plan_;
  std::vector<bool> may_stamp_;
  std::vector<LaunchIndex> launches_;  ///< launches of one graph, in order
  uint32_t first_ = 0, last_ = 0;      ///< positions of the whole's two stamps in the graph
  uint32_t earliest_ = 0;              ///< position of the first stamp that any graph may have
};

}  // namespace kjoule
