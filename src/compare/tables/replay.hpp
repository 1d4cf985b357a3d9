#pragma once
#include "compare/kernels/kernel_results.hpp"
#include "compare/tables/replayed_table.hpp"
#include "importers/replay_plan.hpp"
#include "recording/kernel_rules.hpp"

namespace kjoule {

/// Returns the table with every kernel marked as not replayable. The reason is that of the plan if it has no
/// call for the kernel, otherwise `why`.
ReplayedTable unreplayed_table(const ImportedTable& table, const ReplayPlan& plan,
                               const std::string& why = {});

/// Calls of a plan that were made in one iteration, and the kernels that they launched.
struct MadeCalls {
  const std::vector<size_t>& made;  ///< index in the plan of each call, in the order of `recording`
  const Recording& recording;
  const KernelTable& kernels;                ///< kernel table of `recording`
  const std::vector<KernelResult>& results;  ///< times of its kernels in isolation
  std::string device;                        ///< "cpu" or "cuda"
};

/// Sets, for each kernel of the table with one of these calls, the kernel that ran in its place and its time.
/// `replayed` is from unreplayed_table().
void add_replay(ReplayedTable& replayed, const ReplayPlan& plan, const MadeCalls& calls, KernelRules& rules);

/// Returns a sentence with the number of kernels that could not be replayed; empty if all could. If no kernel
/// could be replayed, the sentence has the reason for the first one.
std::string not_replayed_text(const ReplayedTable& table);

}  // namespace kjoule
