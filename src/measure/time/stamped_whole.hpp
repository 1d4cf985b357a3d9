#pragma once
#include "device/device.hpp"
#include "measure/time/timed_iteration.hpp"

namespace kjoule {

/// Returns the undisturbed whole (glossary): the time of the measured launches, s. The device is kept busy
/// between replays.
///
/// An iteration is repeated without pauses in two segments between stamps, one of which has twice as many
/// iterations as the other. The result is the median over replays of the difference between the segments'
/// times. It does not contain the cost of a stamp. The difference takes at least 1 ms, unless this needs more
/// than 10,000 launches.
///
/// A window that is not closed is replayed once after each restore. The result is the median time between
/// stamps before and after its measured launches, minus the cost of a stamp, which is measured by a second
/// graph with one more stamp.
double time_undisturbed_whole(Device& device, const TimedIteration& iteration);

}  // namespace kjoule
