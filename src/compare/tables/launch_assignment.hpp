#pragma once
// The assignment of the launches that replayed calls made to the kernels of a table. It measures nothing:
// SignatureReplay makes the calls and passes their launches with their times.

#include "compare/kernels/kernel_results.hpp"
#include "compare/tables/replayed_table.hpp"
#include "importers/replay_plan.hpp"
#include "recording/kernel_rules.hpp"

namespace kjoule {

/// Calls of a plan that were made in one iteration, and the kernels that they launched.
struct MadeCalls {
  const std::vector<size_t>& made;  ///< index in the plan of each call, in the order of `recording`
  const Recording& recording;
  const KernelTable& kernels;                ///< kernel table of `recording`
  const std::vector<KernelResult>& results;  ///< times in isolation of the kernels in `kernels`
  std::string device;                        ///< "cpu" or "cuda"
};

/// Assigns the launches of these calls to the kernels of the table: sets, for each kernel with one of the
/// calls, the kernel that ran in its place and its time. `table` is from unreplayed_table().
void assign_launches(ReplayedTable& table, const ReplayPlan& plan, const MadeCalls& calls,
                     KernelRules& rules);

}  // namespace kjoule
