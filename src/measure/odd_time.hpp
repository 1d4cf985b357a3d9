#pragma once
#include "base/interval.hpp"

namespace kjoule {

/// Returns the difference between measured time and time in context that counts as real; all are shares of
/// the whole. Differences below 1 % are mostly noise.
double odd_time(double seconds, double in_context);

/// Returns the energy of the time that differs, as a share of the whole; `pause` is the power in pauses
/// divided by the whole's power. Additional time is mostly waiting for the next launch, so it is counted at
/// the power of pauses, but it may draw as much as the whole does. Missing time is work: moving data that
/// other launches write.
Interval odd_energy(double odd_s, double pause);

}  // namespace kjoule
