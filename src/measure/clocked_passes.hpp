#pragma once
#include <vector>

#include "device/device.hpp"
#include "measure/timed_iteration.hpp"

namespace kjoule {

/// One play of the iteration in which some of the launches are timed.
struct ClockedPass {
  Sequence sequence;
  std::vector<LaunchIndex> timed;  ///< the launch that each segment times; no launch where it times none

  /// Adds to seconds[launch] the mean over the repeats in `played`.
  void add_times(const std::vector<double>& played, std::vector<double>& seconds) const;
};

/// Two passes for devices whose clock may be read between launches: every other launch is timed, first those
/// at even places, then those at odd ones. Every launch follows its real predecessor, which is not timed.
std::vector<ClockedPass> clocked_passes(const TimedIteration& iteration);

/// The iteration as one timed segment.
Sequence in_one_segment(const TimedIteration& iteration);

}  // namespace kjoule
