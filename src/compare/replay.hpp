#pragma once
#include "compare/replayed_table.hpp"
#include "compare/result.hpp"
#include "importers/replay_plan.hpp"
#include "recording/kernel_rules.hpp"

namespace kjoule {

/// Returns the table with every kernel marked as not replayable. If the plan has no call for a kernel, the
/// kernel's reason is that of the plan; otherwise it is `why`.
ReplayedTable unreplayed_table(const ImportedTable& table, const ReplayPlan& plan,
                               const std::string& why = {});

/// Calls of a plan that were made in one iteration, and the kernels that they launched.
struct MadeCalls {
  const std::vector<size_t>& made;  ///< index in the plan of each call, in the order of `recording`
  const Recording& recording;
  const KernelTable& kernels;                ///< kernel table of `recording`
  const std::vector<KernelResult>& results;  ///< times in isolation of the kernels in `kernels`
  std::string device;                        ///< "cpu" or "cuda"
};

/// Sets, for each kernel of the table that has one of these calls, the kernel that the call launched, and the
/// time of the launched kernel. `replayed` is a result of unreplayed_table().
void add_replay(ReplayedTable& replayed, const ReplayPlan& plan, const MadeCalls& calls, KernelRules& rules);

/// Returns a sentence with the number of kernels that could not be replayed; empty if all kernels could be
/// replayed. If no kernel could be replayed, the sentence contains the reason of the first kernel.
std::string not_replayed_text(const ReplayedTable& table);

}  // namespace kjoule
