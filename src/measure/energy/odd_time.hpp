#pragma once
#include <optional>

#include "base/numbers/interval.hpp"
#include "measure/energy/complete_block.hpp"

namespace kjoule {

/// Returns `seconds`, the time that a group adds to its iteration, minus `in_context`, its time in context.
/// Arguments and result are shares of the whole. Differences below 1 % of the time in context are mostly
/// noise, and are reduced to nearly 0.
double odd_time(double seconds, double in_context);

/// Returns the power in the time that groups add beyond their time in context, divided by the power of the
/// whole. `pause` is the power of pauses, divided by the power of the whole. `displaced` is
/// ReplacedSum::displaced; nothing if not measured. Usually the device waits for the next launch in the added
/// time: the result is then `pause`, with an interval up to the power of the whole. If `displaced` shows that
/// iterations with copies find less data in caches, the added time is work: the result is then the power of
/// `displaced`.
Interval power_of_added_time(double pause, const std::optional<RepeatEnergy>& displaced);

/// Returns the energy of the time `odd_s` (odd_time()), as a share of the whole. If `odd_s` is positive, this
/// time has the power `added`. If `odd_s` is negative, the missing time has the power of the whole, because
/// work is missing, such as moving data that other launches write.
Interval odd_energy(double odd_s, const Interval& added);

}  // namespace kjoule
