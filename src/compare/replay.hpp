#pragma once
#include "compare/replayed_table.hpp"
#include "compare/result.hpp"
#include "importers/replay_plan.hpp"
#include "recording/kernel_rules.hpp"

namespace kjoule {

/// `table` before anything of it was played, or where nothing could be: with why the plan has no call for a
/// kernel, or else `why`.
ReplayedTable unplayed_table(const ImportedTable& table, const ReplayPlan& plan, const std::string& why = {});

/// What became of each kernel of `table`. `made` are the plan's calls that were made, in the order in which
/// `recording` has them; `results` the kernels of `kernels`, the recording's own table, each alone.
ReplayedTable replayed_table(const ImportedTable& table, const ReplayPlan& plan,
                             const std::vector<size_t>& made, const Recording& recording,
                             const KernelTable& kernels, const std::vector<KernelResult>& results,
                             KernelRules& rules);

/// How many kernels of the table could not be replayed, and why the first of them where none could; empty
/// where all could.
std::string not_replayed_text(const ReplayedTable& table);

}  // namespace kjoule
