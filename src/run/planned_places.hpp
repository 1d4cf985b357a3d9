#pragma once
#include <cstdint>
#include <vector>

#include "device/window_search.hpp"
#include "recording/measured_kernels.hpp"
#include "recording/run_log.hpp"

namespace kjoule {

/// Returns a WindowPlace with the usual sizes for this run: about 10 ms of GPU work in 8 to 1,200 launches,
/// with a lead and a tail of 64 launches or 1 ms each. The position in the run is not set.
WindowPlace usual_window(const RunLog& log);

/// Returns whether a window at `place`, with its lead and tail, may contain one of the launches from `first`
/// to `end` - 1.
bool overlaps(const WindowPlace& place, uint64_t first, uint64_t end);

/// Returns for each launch of the host the time of its kernels that were not measured, ns.
std::vector<int64_t> unmeasured_ns(const RunLog& log, const MeasuredKernels& measured);

/// Returns at most `count` windows to measure in another start of the program, in the order of their
/// launches. `log` is the log of a run that has ended. The windows are a systematic sample, with a random
/// begin, of the GPU time of kernels that were not measured; they do not overlap. If the host waited for the
/// device shortly before a window, the window begins where the host waited.
std::vector<WindowPlace> plan_places(const RunLog& log, const MeasuredKernels& measured, size_t count,
                                     uint64_t seed);

}  // namespace kjoule
