#pragma once
#include <optional>

#include "compare/result.hpp"

namespace kjoule {

/// Returns the time of the program's own iteration, launch gaps included; without a half-width if it was only
/// timed before the measurement; nothing if it was not timed.
std::optional<Interval> own_iteration(const Comparison& comparison);

/// Returns the launch gaps of the program's own iteration, s: its time minus the whole's. The whole is
/// serialised, so where the program's streams run in parallel it is replaced by overlapped_s, or reduced by
/// the share by which the timeline's operations overlap. Nothing if the own iteration was not timed or is
/// shorter.
std::optional<double> launch_gaps_s(const Comparison& comparison);

}  // namespace kjoule
