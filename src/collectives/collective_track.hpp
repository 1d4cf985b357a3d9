#pragma once
#include "collectives/rank_processes.hpp"
#include "device/device.hpp"

namespace kjoule {

/// The collective that all ranks have prepared, as steady work: each repeat is one collective. The ranks must
/// outlive the object.
class CollectiveTrack final : public Track {
 public:
  explicit CollectiveTrack(RankProcesses& ranks) : ranks_(ranks) {}
  void enqueue(int repeats) override { ranks_.begin_repeats(repeats); }
  /// Returns the mean time over the ranks.
  TrackTiming wait() override;

 private:
  RankProcesses& ranks_;
};

}  // namespace kjoule
