#pragma once
#include "device/device.hpp"
#include "measure/time/timed_iteration.hpp"

namespace kjoule {

/// Returns the undisturbed whole: the time of the measured launches, s. The device is kept busy between
/// replays.
///
/// An iteration is repeated without pause. The result is the median over replays of the difference between
/// two segments of iterations between stamps, one of which has twice as many iterations. The difference takes
/// at least 1 ms if 10,000 launches suffice for it, and does not contain the cost of a stamp.
///
/// A window that is not closed is replayed once between restores. The result is the median time between
/// stamps before and after its measured launches, without the cost of a stamp, which a second graph with one
/// more stamp shows.
double time_undisturbed_whole(Device& device, const TimedIteration& iteration);

}  // namespace kjoule
