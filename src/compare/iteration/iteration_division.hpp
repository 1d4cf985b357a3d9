#pragma once
#include <optional>

#include "compare/iteration/comparison.hpp"

namespace kjoule {

/// The division of the program's own iteration into parts, in s. Kernels, copies and transfers are measured
/// by replay; staging and gaps are measured on the timeline of the program's own iterations. The sum of the
/// parts may therefore differ from the iteration.
struct IterationDivision {
  uint64_t iterations = 0;     ///< number of iterations on the timeline
  double own_s = 0;            ///< mean time of these iterations, while the profiler logged them
  double kernels_s = 0;        ///< sum of the kernels' times in context
  double device_copies_s = 0;  ///< time of copies within the device, and of memsets
  double transfers_s = 0;      ///< time of copies between host and device, at the speed of page-locked memory
  /// The host's part in copies of pageable memory (glossary): the time of these copies and of their calls,
  /// except for the time in which kernels ran, minus the replayed time of these copies.
  double staging_s = 0;
  double gaps_s = 0;     ///< time in which the device waits for launches, minus the gaps of the replay
  double overlap_s = 0;  ///< time that is counted twice, because the program's streams run in parallel

  double sum_s() const { return kernels_s + device_copies_s + transfers_s + staging_s + gaps_s - overlap_s; }
  /// Returns the time of the iteration that belongs to none of the parts, as a share of own_s.
  double unexplained() const { return 1 - sum_s() / own_s; }
};

/// Returns the division of a loop's iteration; nothing if the timeline of the program's own iterations is not
/// known.
std::optional<IterationDivision> divide_iteration(const Comparison& comparison);

}  // namespace kjoule
