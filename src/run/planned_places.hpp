#pragma once
#include <cstdint>
#include <vector>

#include "device/window_search.hpp"
#include "recording/measured_kernels.hpp"
#include "recording/run_log.hpp"

namespace kjoule {

/// Returns the usual size of a window of this run: about 10 ms of GPU work in 8 to 1,200 launches, with a
/// lead and a tail of 64 launches or 1 ms. Its place in the run is open.
WindowPlace usual_window(const RunLog& log);

/// Returns whether a window, with its lead and tail, may contain launches from `first` up to, but not
/// including, `end`.
bool overlaps(const WindowPlace& place, uint64_t first, uint64_t end);

/// Returns for each launch of the host the time of its kernels that were not measured, ns.
std::vector<int64_t> unmeasured_ns(const RunLog& log, const MeasuredKernels& measured);

/// Returns at most `count` windows that are to be measured in another start of the program, in the order of
/// their launches. `log` is that of a run that has ended. The windows are a systematic sample, with a random
/// begin, of the time of the kernels that were not measured. They do not overlap. If the host waited for the
/// device shortly before a window, it begins at this place.
std::vector<WindowPlace> plan_places(const RunLog& log, const MeasuredKernels& measured, size_t count,
                                     uint64_t seed);

}  // namespace kjoule
