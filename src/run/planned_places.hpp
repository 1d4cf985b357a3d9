#pragma once
#include <cstdint>
#include <vector>

#include "device/window_search.hpp"
#include "recording/measured_kernels.hpp"
#include "recording/run_log.hpp"

namespace kjoule {

/// Returns a window of the usual size for a run: about 10 ms of GPU work, 8 to 1,200 launches, with a lead
/// and a tail of 64 launches or 1 ms. It may lie anywhere.
WindowPlace usual_window(const RunLog& log);

/// Returns whether a window, with its lead and tail, may contain launches from `first` up to `end`, which is
/// not included.
bool overlaps(const WindowPlace& place, uint64_t first, uint64_t end);

/// Returns the time of each launch's kernels that were not measured, in ns, by launch of the host.
std::vector<int64_t> unmeasured_ns(const RunLog& log, const MeasuredKernels& measured);

/// Returns at most `count` windows of a run that ended, in the order of their launches, for another start of
/// the program: a systematic sample of the time of the kernels that were not measured, from a random begin.
/// They begin where the host waited for the device, if it did so shortly before, and do not overlap.
std::vector<WindowPlace> plan_places(const RunLog& log, const MeasuredKernels& measured, size_t count,
                                     uint64_t seed);

}  // namespace kjoule
