#pragma once
#include "device/device.hpp"
#include "measure/timed_iteration.hpp"

namespace kjoule {

/// Returns the undisturbed whole: the time of one iteration, s, repeated without pause. It is the median over
/// replays of the difference between two segments of iterations between stamps, one of which has twice as
/// many iterations. The difference takes at least 1 ms if 10,000 launches suffice for it, and does not
/// contain the cost of a stamp. The device is kept busy between replays.
double time_undisturbed_whole(Device& device, const TimedIteration& iteration);

}  // namespace kjoule
