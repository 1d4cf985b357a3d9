#pragma once
#include "measure/time/clocked_passes.hpp"
#include "measure/time/instrument.hpp"

namespace kjoule {

/// The instrument for devices whose clock can be read between launches (CPUs). A round contains two passes in
/// which every other launch is timed. Before and after each pass, the recorded launches are timed as one
/// segment.
class ClockedInstrument final : public Instrument {
 public:
  ClockedInstrument(Device& device, const Clock& clock, const TimedIteration& iteration,
                    const ClockedPlan& plan);
  Round measure(int number) override;
  size_t fewest_rounds() const override { return 12; }

 private:
  struct OpenPass {
    ClockedPass pass;
    std::unique_ptr<Track> track;
  };
  void add_wholes(ClockedLaunches& times);

  Device& device_;
  const Clock& clock_;
  size_t launches_;
  ClockedPlan plan_;
  std::unique_ptr<Track> own_iteration_;  ///< null if the program cannot be run again
  std::unique_ptr<Track> whole_;
  std::vector<OpenPass> passes_;
};

}  // namespace kjoule
