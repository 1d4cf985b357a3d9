#pragma once
#include <optional>
#include <vector>

#include "base/numbers/interval.hpp"
#include "measure/energy/complete_block.hpp"

namespace kjoule {

/// The sum from iterations in which copies replace launches. All values are shares of the whole.
struct ReplacedSum {
  RepeatEnergy sum{};  ///< energy and time of the sum
  /// Size of the corrections of energies for clocks: that for the copies alone plus that for the groups, both
  /// without sign, because the energy of copies may depend on the clock in another way than that of launches.
  double for_clocks = 0;
  /// Time and energy by which the copies of all groups lengthen their iterations more than the same copies
  /// lengthen one iteration. The cause occurs once in each iteration with copies, for example that it finds
  /// less data in caches.
  RepeatEnergy displaced{};
  /// Standard error of the sum's energy, if each reading of the whole had a standard error of 1.
  double error_of_wholes = 0;
};

/// Returns the sum from iterations in which copies replace launches; nothing if there is only one group, or
/// if a group or all launches together have no block. `wholes` has for each block the mean energy and time of
/// one iteration of the whole around it, without restoring memory.
///
///   sum = A + sum over groups of (whole - R_g)
///
/// A is an iteration in which copies replace all launches; R_g is one in which copies replace the launches of
/// group g. Copies write the same data as the launches, so energy and time of writing caches back to memory
/// are in the sum. They are not in the differences of iterations with and without launches, because both
/// kinds write caches back.
std::optional<ReplacedSum> replaced_sum(const std::vector<CompleteBlock>& blocks,
                                        const std::vector<RepeatEnergy>& wholes,
                                        const RepeatEnergy& restoring, size_t groups);

}  // namespace kjoule
