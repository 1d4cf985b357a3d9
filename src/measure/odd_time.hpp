#pragma once
#include <optional>

#include "base/interval.hpp"
#include "measure/complete_block.hpp"

namespace kjoule {

/// Returns by how much a measured time really differs from the time in context. All three are shares of the
/// whole. Differences below 1 % of the time in context are mostly noise, and reduced to nearly nothing.
double odd_time(double seconds, double in_context);

/// Returns the power of additional time, divided by the whole's; `pause` is that of pauses. It is mostly
/// waiting for the next launch, so it has the power of pauses, but may draw as much as the whole does. Where
/// an iteration among copies finds less of its data in caches, it is work. It then has the power of
/// `displaced`: time and energy by which the groups' copies lengthen their iterations more than the same
/// copies lengthen one iteration, as shares of the whole; nothing if they were not measured.
Interval power_of_added_time(double pause, const std::optional<RepeatEnergy>& displaced);

/// Returns the energy of the time that differs, as a share of the whole; `added` is the power of additional
/// time. Missing time is work at the whole's power: moving data that other launches write.
Interval odd_energy(double odd_s, const Interval& added);

}  // namespace kjoule
