#pragma once
#include "device/device.hpp"

namespace kjoule {

/// Returns the time of one repeat, s, from `repeats` repeats that follow as many untimed ones.
double pilot_s(Track& track, int repeats);

}  // namespace kjoule
