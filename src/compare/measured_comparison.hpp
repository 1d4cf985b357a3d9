#pragma once
#include <optional>
#include <vector>

#include "compare/classified_kernels.hpp"
#include "compare/energy.hpp"
#include "compare/result.hpp"
#include "recording/recording.hpp"
#include "run/rows.hpp"

// The results that a run's rows hold: pure functions, so that a killed run can be reported, too.

namespace kjoule {

/// Returns the kernels, classified by `rules`, with the time of each in isolation.
std::vector<KernelResult> isolated_results(const KernelTable& table, const RowList& rows, KernelRules& rules);
/// Returns what the device's own timeline says of an iteration of `launches` launches; nothing where it keeps
/// none.
std::optional<TimelineResult> timeline_result(const RowList& rows, size_t launches);
/// Returns what was measured of energy, or why nothing was; nothing where it was not asked for, or not yet.
std::optional<MeasuredEnergy> energy_in(const RowList& rows);
/// Compares sum and whole. `replayed` are the kernels of a table, where one was given. Throws Error when the
/// rows do not hold enough rounds.
Comparison comparison_of(const Recording& recording, const RowList& rows, KernelRules& rules,
                         const std::optional<ReplayedTable>& replayed = {});

}  // namespace kjoule
