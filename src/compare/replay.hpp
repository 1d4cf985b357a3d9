#pragma once
#include "compare/replayed_table.hpp"
#include "compare/result.hpp"
#include "importers/replay_plan.hpp"
#include "recording/kernel_rules.hpp"

namespace kjoule {

/// Returns the table's kernels as not replayable. Each has the reason why the plan has no call for it, or
/// `why` if the plan has one.
ReplayedTable unreplayed_table(const ImportedTable& table, const ReplayPlan& plan,
                               const std::string& why = {});

/// Returns the table's kernels with what ran in their place, and its times. `made` has the index in the plan
/// of each call that was made, in the order of `recording`. `kernels` is the kernel table of `recording`, and
/// `results` has the times of its kernels in isolation.
ReplayedTable replayed_table(const ImportedTable& table, const ReplayPlan& plan,
                             const std::vector<size_t>& made, const Recording& recording,
                             const KernelTable& kernels, const std::vector<KernelResult>& results,
                             KernelRules& rules);

/// Returns how many kernels could not be replayed, with the reason of the first one if none could; empty if
/// all could.
std::string not_replayed_text(const ReplayedTable& table);

}  // namespace kjoule
