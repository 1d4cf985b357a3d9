#pragma once
#include "device/device.hpp"
#include "measure/timed_iteration.hpp"

namespace kjoule {

/// Returns the seconds of one iteration that is played again and again without pause: the median over plays
/// of the difference between two stretches of stamped iterations, one of which is longer by at least a
/// millisecond (20,000 launches at most). What the stamps cost is in both stretches and falls out. The device
/// is kept busy in between.
double time_undisturbed_whole(Device& device, const TimedIteration& iteration);

}  // namespace kjoule
