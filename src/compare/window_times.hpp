#pragma once
#include "compare/kernel_ratios.hpp"
#include "measure/estimate.hpp"
#include "run/rows.hpp"

namespace kjoule {

/// Returns the kernels of a measured window with their replayed times, and their times by the profiler as the
/// program ran the window while it was recorded. Launches without the latter are added up
/// (WindowTimes::other_s).
WindowTimes window_times(const Recording& recording, const SumEstimate& estimate, const RowList& rows);

}  // namespace kjoule
