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

/// Calls of a plan that were made in one iteration, and what they launched.
struct MadeCalls {
  const std::vector<size_t>& made;  ///< index in the plan of each call, in the order of `recording`
  const Recording& recording;
  const KernelTable& kernels;                ///< kernel table of `recording`
  const std::vector<KernelResult>& results;  ///< times of its kernels in isolation
  std::string device;                        ///< "cpu" or "cuda"
};

/// Sets what ran in the place of the table's kernels with these calls, and its times. `replayed` is from
/// unreplayed_table().
void add_replay(ReplayedTable& replayed, const ReplayPlan& plan, const MadeCalls& calls, KernelRules& rules);

/// Returns how many kernels could not be replayed, with the reason of the first one if none could; empty if
/// all could.
std::string not_replayed_text(const ReplayedTable& table);

}  // namespace kjoule
