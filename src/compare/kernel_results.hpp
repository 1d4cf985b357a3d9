#pragma once
#include <set>
#include <vector>

#include "compare/result.hpp"
#include "recording/kernel_rules.hpp"
#include "run/rows.hpp"

namespace kjoule {

/// Returns the kernels of the table, in the order of the table, without times.
std::vector<KernelResult> kernel_results(const KernelTable& table);

/// Sets the times of the comparison's kernels, which must be in the order of the table: the times in context,
/// and, if the timeline has a time for each launch, the times on the timeline. Marks the kernels of the
/// launches `timed_together`.
void add_times(const KernelTable& table, const std::set<LaunchIndex>& timed_together, Comparison& comparison);

/// Sets the comparison's values for all kernels together (the sum of their times in isolation, the mean
/// difference from the timeline), and sorts the kernels by their time in context, the largest first.
void complete_kernels(Comparison& comparison);

/// Returns the kernels of the table, classified by `rules`, with the time of each kernel in isolation.
std::vector<KernelResult> isolated_results(const KernelTable& table, const RowList& rows, KernelRules& rules);

}  // namespace kjoule
