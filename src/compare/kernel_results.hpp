#pragma once
#include <set>
#include <vector>

#include "compare/result.hpp"
#include "recording/kernel_rules.hpp"
#include "run/rows.hpp"

namespace kjoule {

/// Returns the table's kernels in its order, without times.
std::vector<KernelResult> kernel_results(const KernelTable& table);

/// Adds the times of a comparison to its kernels, which are in the table's order: in context, and on the
/// timeline if that has a time for each launch. Marks the kernels of the launches `timed_together`.
void add_times(const KernelTable& table, const std::set<LaunchIndex>& timed_together, Comparison& comparison);

/// Adds what the comparison says of all kernels (the sum of their times in isolation, the mean difference
/// from the timeline), and sorts them by their time in context, the largest first.
void complete_kernels(Comparison& comparison);

/// Returns the kernels, classified by `rules`, with the time of each one in isolation.
std::vector<KernelResult> isolated_results(const KernelTable& table, const RowList& rows, KernelRules& rules);

}  // namespace kjoule
