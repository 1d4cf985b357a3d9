#pragma once
#include <map>

#include "results/replayed.hpp"
#include "results/timing.hpp"
#include "trace/kernel_rules.hpp"
#include "trace/replay_plan.hpp"

namespace kjoule {

/// The recorded launches of each call: by the ranges around them, or, where the device has no ranges and runs
/// operators one by one, in order. Throws Error when there are neither as many nor ranges.
std::map<size_t, std::vector<LaunchIndex>> launches_of_calls(const Recording& recording,
                                                             const std::vector<size_t>& calls);

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
