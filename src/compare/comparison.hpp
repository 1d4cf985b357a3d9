#pragma once
// Reports are made from the rows of a run and from nothing else, so that a killed run can be reported, too.
#include <optional>

#include "compare/result.hpp"
#include "recording/kernel_rules.hpp"
#include "recording/recording.hpp"
#include "run/rows.hpp"

namespace kjoule {

/// Returns the comparison of sum and whole. `replayed` has the kernels of a table, if one was given. Throws
/// Error if the rows contain fewer than kFewestRounds rounds.
Comparison comparison_of(const Recording& recording, const RowList& rows, KernelRules& rules,
                         const std::optional<ReplayedTable>& replayed = {});

}  // namespace kjoule
