#pragma once
#include <optional>

#include "base/numbers/interval.hpp"
#include "measure/energy/complete_block.hpp"

namespace kjoule {

/// Returns by how much a measured time really differs from the time in context. All three are shares of the
/// whole. Differences below 1 % of the time in context are mostly noise, and reduced to nearly nothing.
double odd_time(double seconds, double in_context);

/// Returns the power of additional time, divided by the whole's; `pause` is that of pauses. Usually the
/// device waits for the next launch in this time. Then the value is the power of pauses, and the interval
/// reaches up to the whole's power. Where an iteration among copies finds less of its data in caches, the
/// time is work. Then the value is the power of `displaced`: time and energy by which the groups' copies
/// lengthen their iterations more than the same copies lengthen one iteration, as shares of the whole;
/// nothing if they were not measured.
Interval power_of_added_time(double pause, const std::optional<RepeatEnergy>& displaced);

/// Returns the energy of the time that differs (odd_time), as a share of the whole. Additional time has the
/// power `added`. Missing time has the whole's: it is work, such as moving data that other launches write.
Interval odd_energy(double odd_s, const Interval& added);

}  // namespace kjoule
