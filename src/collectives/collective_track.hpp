#pragma once
#include "collectives/rank_processes.hpp"
#include "device/collective_operation.hpp"
#include "device/device.hpp"

namespace kjoule {

/// The collective that all ranks have prepared, as steady work: each repeat is one collective. The ranks and
/// the operation must outlive the object.
class CollectiveTrack final : public Track {
 public:
  CollectiveTrack(RankProcesses& ranks, const CollectiveOperation& operation)
      : ranks_(ranks), operation_(operation) {}
  void enqueue(int repeats) override { ranks_.begin_repeats(repeats); }
  /// Returns the mean time over the ranks that take part.
  TrackTiming wait() override;

 private:
  RankProcesses& ranks_;
  const CollectiveOperation& operation_;
};

}  // namespace kjoule
