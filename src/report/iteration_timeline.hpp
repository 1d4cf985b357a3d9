#pragma once
#include <optional>

#include "compare/iteration/comparison.hpp"
#include "report/timeline.hpp"
#include "run/rows.hpp"

namespace kjoule {

/// Returns the timeline of the measured iteration: as the device's profiler saw it, or, on a CPU, by the
/// times of its operators. Nothing if neither is known. Throws Error if the device's timeline could not be
/// read.
std::optional<Timeline> iteration_timeline(const Recording& recording, const RowList& rows,
                                           const Comparison& comparison);

}  // namespace kjoule
