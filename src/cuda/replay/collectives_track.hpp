#pragma once
#include "cuda/replay/gated_track.hpp"
#include "device/collective_times.hpp"

namespace kjoule::cuda {

/// Two iterations in an unbroken chain, with a stamp before and after each collective of the second one; of a
/// window that is no iteration, one. The clocks of all ranks are compared right before and right after them.
/// All ranks must replay them together.
class CollectivesTrack final : public GatedTrack {
 public:
  explicit CollectivesTrack(const ReplayContext& context);
  /// Replays the iteration once and returns the times of its collectives on this rank.
  CollectiveTimes replay();

 private:
  void issue_work();
  void finish_repeat() override;

  std::vector<LaunchIndex> collectives_;
  HostMemory before_, after_;  ///< ClockOffsets by position, written by the rank at position 0
};

}  // namespace kjoule::cuda
