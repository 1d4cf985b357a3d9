#pragma once
#include <vector>

#include "device/device.hpp"
#include "measure/time/timed_iteration.hpp"

namespace kjoule {

/// One replay of the iteration in which some of the launches are timed.
struct ClockedPass {
  Sequence sequence;
  /// For each segment, the launch that the segment times. If the last segment times no launch, it has no
  /// entry.
  std::vector<LaunchIndex> timed;

  /// Adds to seconds[launch] the mean time of each timed launch over all repeats. `replayed` has a time for
  /// each segment of each repeat.
  void add_times(const std::vector<double>& replayed, std::vector<double>& seconds) const;
};

/// Returns the two passes of a round. The first pass times the launches at even places, the second pass the
/// launches at odd places. Before every timed launch, its predecessor in the iteration is replayed, but not
/// timed.
std::vector<ClockedPass> clocked_passes(const TimedIteration& iteration);

/// Returns a sequence that times the whole iteration as one segment.
Sequence in_one_segment(const TimedIteration& iteration);

}  // namespace kjoule
