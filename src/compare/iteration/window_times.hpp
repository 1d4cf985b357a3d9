#pragma once
#include "compare/kernels/kernel_ratios.hpp"
#include "measure/time/estimate.hpp"
#include "run/rows.hpp"

namespace kjoule {

/// Returns the kernels of a measured window, with the replayed times of their launches and the times that the
/// profiler measured while the window was recorded. Launches that the profiler did not time are added to
/// WindowTimes::other_s.
WindowTimes window_times(const Recording& recording, const SumEstimate& estimate, const RowList& rows);

}  // namespace kjoule
