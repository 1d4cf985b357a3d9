#pragma once
#include <optional>

#include "base/numbers/interval.hpp"
#include "measure/energy/complete_block.hpp"

namespace kjoule {

/// Returns the difference between the time `seconds` that a group adds to its iteration and its time in
/// context, without noise. All three values are shares of the whole. Differences below 1 % of the time in
/// context are mostly noise, and are reduced to nearly 0.
double odd_time(double seconds, double in_context);

/// Returns the power in the time that groups add beyond their time in context, divided by the whole's power.
/// `pause` is the power of pauses, divided by the whole's. Usually the device waits for the next launch in
/// this time: the value is then `pause`, and the interval reaches up to the whole's power. If an iteration
/// with copies finds less of its data in caches, the time is work: the value is then the power of
/// `displaced`. `displaced` is the time and energy by which the copies of all groups lengthen their
/// iterations more than the same copies lengthen one iteration, as shares of the whole; nothing if it was not
/// measured.
Interval power_of_added_time(double pause, const std::optional<RepeatEnergy>& displaced);

/// Returns the energy of the time `odd_s` (odd_time()), as a share of the whole. Additional time has the
/// power `added`. Missing time has the whole's power, because it is work, such as moving data that other
/// launches write.
Interval odd_energy(double odd_s, const Interval& added);

}  // namespace kjoule
