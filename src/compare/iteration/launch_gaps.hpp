#pragma once
#include <optional>

#include "compare/iteration/comparison.hpp"

namespace kjoule {

/// Returns the time of the program's own iteration, launch gaps included, s; nothing if the iteration was not
/// timed. The half-width is infinite if the iteration was timed only before the measurement.
std::optional<Interval> own_iteration(const Comparison& comparison);

/// Returns the time that the device works in one iteration, without waiting for launches, s. If the replayed
/// time with streams in parallel (overlapped_s) was measured, returns this time. Otherwise returns the whole,
/// in which launches run one after another, reduced by the share of time in which operations overlap on the
/// timeline.
double working_s(const Comparison& comparison);

/// Returns the launch gaps of the program's own iteration, s: the time of the iteration, minus working_s(),
/// minus the host's part in copies of pageable memory (IterationDivision). Returns nothing if the program's
/// own iteration was not timed, or if the result would not be above 0.
std::optional<double> launch_gaps_s(const Comparison& comparison);

}  // namespace kjoule
