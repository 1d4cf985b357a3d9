#pragma once
// Reports are made only from the recording and the rows of a run, so that an interrupted run can be reported.
#include <optional>

#include "compare/iteration/comparison.hpp"
#include "recording/kernel_rules.hpp"
#include "recording/recording.hpp"
#include "run/rows.hpp"

namespace kjoule {

/// Returns the comparison of sum and whole. `replayed` contains the replayed kernels of a kernel table, if
/// the user gave one. Throws Error if the rows contain fewer than kFewestRounds rounds.
Comparison compare_iteration(const Recording& recording, const RowList& rows, KernelRules& rules,
                             const std::optional<ReplayedTable>& replayed = {});

}  // namespace kjoule
