#pragma once
#include <set>

#include "play/device.hpp"

namespace kjoule {

/// Returns the seconds of one iteration that is played again and again without pause: the median over plays
/// of the difference between two stretches of stamped iterations, one of which is longer by at least a
/// millisecond (200 iterations at most). What the stamps cost is in both stretches and falls out. `excluded`
/// launches are left out.
double time_undisturbed_whole(Device& device, size_t launches, const std::set<LaunchIndex>& excluded);

}  // namespace kjoule
