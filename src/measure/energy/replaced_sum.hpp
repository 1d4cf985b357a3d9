#pragma once
#include <optional>
#include <vector>

#include "base/numbers/interval.hpp"
#include "measure/energy/complete_block.hpp"

namespace kjoule {

/// Energy and time of the sum, as shares of the whole.
struct ReplacedSum {
  RepeatEnergy sum{};
  /// What the energies of the copies alone and those of the groups owe to other clocks. The two sizes are
  /// added up: copies may follow the clock differently from launches.
  double for_clocks = 0;
  /// How much more the groups' copies lengthen their iterations than the same copies lengthen one: whatever
  /// an iteration among copies has once, such as finding less of its data in caches.
  RepeatEnergy displaced{};
  /// Standard error of the energy where each reading of the whole has a standard error of 1.
  double error_of_wholes = 0;
};

/// Returns the sum from iterations in which copies replace launches: the copies alone, and what each group
/// adds to the whole in their place. Nothing if there is one group, or if a group or all launches together
/// have no block. `wholes` is one iteration of the whole around each block, without restoring memory.
///
///   sum = A + sum over groups of (whole - R_g)
///
/// A is an iteration in which copies replace all launches, R_g one in which they replace those of group g.
/// All these write the same data once, so energy and time of writing caches back to memory are in the sum.
/// They are not in the difference of iterations with and without launches, because both write it back.
std::optional<ReplacedSum> replaced_sum(const std::vector<CompleteBlock>& blocks,
                                        const std::vector<RepeatEnergy>& wholes,
                                        const RepeatEnergy& restoring, size_t groups);

}  // namespace kjoule
