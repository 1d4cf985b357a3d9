#pragma once
#include <optional>

#include "compare/iteration/comparison.hpp"

namespace kjoule {

/// Returns the time of the program's own iteration, launch gaps included, s; nothing if it was not timed. The
/// half-width is infinite if it was only timed before the measurement.
std::optional<Interval> own_iteration(const Comparison& comparison);

/// Returns the time that the device works in one iteration if it does not wait for launches, s. It is the
/// replayed time with streams in parallel (overlapped_s) if that was measured. Otherwise it is the whole, in
/// which launches run one after another, reduced by the share of time that operations overlap on the
/// timeline.
double working_s(const Comparison& comparison);

/// Returns the launch gaps of the program's own iteration, s: its time minus working_s() and minus the host's
/// part in copies of pageable memory (IterationDivision). Nothing if the program's own iteration was not
/// timed, or if the difference is not above 0.
std::optional<double> launch_gaps_s(const Comparison& comparison);

}  // namespace kjoule
