#pragma once
#include <optional>
#include <vector>

#include "compare/classified_kernels.hpp"
#include "compare/energy.hpp"
#include "compare/result.hpp"
#include "recording/recording.hpp"
#include "run/rows.hpp"

// Functions that make results from the rows of a run. They depend on nothing else, so that a killed run can
// be reported, too.

namespace kjoule {

/// Returns the kernels, classified by `rules`, with the time of each one in isolation.
std::vector<KernelResult> isolated_results(const KernelTable& table, const RowList& rows, KernelRules& rules);
/// Returns the device's own timeline of the recording's measured launches; nothing if the device keeps none.
std::optional<TimelineResult> timeline_result(const RowList& rows, const Recording& recording);
/// Returns the energy measurements, or why there are none; nothing if energy was not requested, or is not
/// measured yet.
std::optional<MeasuredEnergy> energy_in(const RowList& rows);
/// Returns the comparison of sum and whole. `replayed` has the kernels of a table, if one was given. Throws
/// Error if the rows contain fewer than two rounds.
Comparison comparison_of(const Recording& recording, const RowList& rows, KernelRules& rules,
                         const std::optional<ReplayedTable>& replayed = {});

}  // namespace kjoule
