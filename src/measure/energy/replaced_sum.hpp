#pragma once
#include <optional>
#include <vector>

#include "base/numbers/interval.hpp"
#include "measure/energy/complete_block.hpp"

namespace kjoule {

/// The sum from iterations in which copies replace launches. All values are shares of the whole.
struct ReplacedSum {
  RepeatEnergy sum{};  ///< energy and time of the sum
  /// Size of the corrections of energies for clocks: the correction for the copies alone plus the correction
  /// for the groups, as absolute values, because the energies of copies and of launches may depend on the
  /// clock in different ways.
  double for_clocks = 0;
  /// Time and energy that the copies of each group add to an iteration, summed over the groups, minus what
  /// all copies together add to one iteration. Not 0 if each iteration with copies has a cost of its own, for
  /// example because it finds less data in caches.
  RepeatEnergy displaced{};
  /// Standard error of the sum's energy per standard error of a reading of the whole.
  double error_of_wholes = 0;
};

/// Returns the sum from iterations in which copies replace launches; nothing if there is only one group, or
/// if a group or all launches together have no block. `wholes` has one element for each block: mean energy
/// and time of one iteration in the readings of the whole before and after the block, without restoring
/// memory.
///
///   sum = A + sum over groups of (whole - R_g)
///
/// A is an iteration in which copies replace all launches; R_g is an iteration in which copies replace the
/// launches of group g. Copies write the same data as the launches, so that this sum includes energy and time
/// of writing caches back to memory. Differences of iterations with and without launches do not include them,
/// because both iterations write caches back.
std::optional<ReplacedSum> replaced_sum(const std::vector<CompleteBlock>& blocks,
                                        const std::vector<RepeatEnergy>& wholes,
                                        const RepeatEnergy& restoring, size_t groups);

}  // namespace kjoule
