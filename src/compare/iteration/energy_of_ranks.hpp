#pragma once
#include <optional>
#include <vector>

#include "compare/iteration/rank_result.hpp"

namespace kjoule {

/// Returns whether the energy was measured by a meter of the whole machine, which contains all ranks.
bool is_of_machine(const EnergyResult& energy);

/// Returns the energy of all ranks together in one iteration. If the meter measures the whole machine, it is
/// the energy of the first rank's results; otherwise it is the sum over ranks. The errors of the ranks have
/// common causes, so that the half-widths are added. If the energy of a rank is missing, that of all is
/// missing, too. Returns nothing without ranks, or if no energy was requested.
std::optional<EnergyResult> energy_of_all(const std::vector<RankResult>& ranks);

}  // namespace kjoule
