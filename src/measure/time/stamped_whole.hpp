#pragma once
#include "device/device.hpp"
#include "measure/time/timed_iteration.hpp"

namespace kjoule {

/// Returns the undisturbed whole (glossary): the time of the measured launches, s. The device is kept busy
/// between replays.
///
/// An iteration is repeated without pauses in two segments between stamps; the second segment has twice as
/// many iterations as the first. The result is the median over replays of the difference between the
/// segments' times, per iteration; the cost of a stamp cancels in it. The difference is at least 1 ms, unless
/// this needs more than 10,000 launches.
///
/// A window that is not closed is replayed only once after each restore of memory. The result is the median
/// time between stamps before and after its measured launches, minus the cost of a stamp, which is measured
/// by a second graph with one more stamp.
double time_undisturbed_whole(Device& device, const TimedIteration& iteration);

}  // namespace kjoule
