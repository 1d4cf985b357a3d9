#pragma once
#include <optional>

#include "compare/result.hpp"

namespace kjoule {

/// Returns the time of the program's own iteration, launch gaps included; without a half-width if it was only
/// timed before the measurement; nothing if it was not timed.
std::optional<Interval> own_iteration(const Comparison& comparison);

/// Returns how long the device works in one iteration if it does not wait for launches, s: the whole, which
/// is serialised; where the program's streams run in parallel, overlapped_s, or the whole reduced by the
/// share by which the timeline's operations overlap.
double working_s(const Comparison& comparison);

/// Returns the launch gaps of the program's own iteration, s: its time minus the time in which the device
/// works, and minus the host's part in copies of pageable memory (IterationDivision). Nothing if the own
/// iteration was not timed or is shorter.
std::optional<double> launch_gaps_s(const Comparison& comparison);

}  // namespace kjoule
