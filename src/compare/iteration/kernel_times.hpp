#pragma once
#include <set>

#include "compare/iteration/comparison.hpp"

namespace kjoule {

/// Sets the times of the comparison's kernels, which must be in the order of the table: the times in context,
/// and, if the timeline has a time for each launch, the times on the timeline. Marks the kernels of the
/// launches `timed_together`.
void add_times(const KernelTable& table, const std::set<LaunchIndex>& timed_together, Comparison& comparison);

/// Sets the comparison's values for all kernels together, and sorts the kernels by their time in context, the
/// largest first. The values are the sum of the times in isolation, and `timeline_difference`: the sum over
/// kernels of the absolute difference between a kernel's share of the times in context and its share of the
/// times on the timeline.
void complete_kernels(Comparison& comparison);

}  // namespace kjoule
