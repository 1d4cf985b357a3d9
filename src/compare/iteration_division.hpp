#pragma once
#include <optional>

#include "compare/result.hpp"

namespace kjoule {

/// Where the time of one iteration goes while the program runs by itself, in s. The first three parts are
/// measured by replay, host part and gaps on the timeline of the program's own iterations, so that their sum
/// may differ from the iteration.
struct IterationDivision {
  uint64_t iterations = 0;     ///< of the timeline
  double own_s = 0;            ///< their mean time, while the profiler logged them
  double kernels_s = 0;        ///< sum of their times in context
  double device_copies_s = 0;  ///< copies within the device, and memsets
  double transfers_s = 0;      ///< copies between host and device, as fast as page-locked memory lets them be
  /// What the host's part in copies of pageable memory adds: the time of these copies with their calls, in
  /// which no kernel ran, minus their replayed time.
  double staging_s = 0;
  double gaps_s = 0;     ///< the device waits for launches: its gaps, minus those of the replay
  double overlap_s = 0;  ///< time of the replayed parts that the program's streams spend in parallel

  double sum_s() const { return kernels_s + device_copies_s + transfers_s + staging_s + gaps_s - overlap_s; }
  /// Returns what the parts do not explain, as a share of the iteration.
  double unexplained() const { return 1 - sum_s() / own_s; }
};

/// Divides the iteration of a loop. Nothing if the timeline of the program's own iterations is not known.
std::optional<IterationDivision> divide_iteration(const Comparison& comparison);

}  // namespace kjoule
