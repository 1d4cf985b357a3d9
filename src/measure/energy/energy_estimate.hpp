#pragma once
#include <optional>
#include <vector>

#include "base/numbers/interval.hpp"
#include "measure/energy/energy_block.hpp"

namespace kjoule {

/// Energy of one group of kernels in one iteration, from the group's blocks.
struct GroupEnergy {
  Interval joules;
  double seconds = 0;  ///< time of the group in context
  int blocks = 0;      ///< number of blocks of this group
};

/// Energy of the whole and of the sum over its groups. Intervals are 95 %; they include scatter and errors of
/// the method, but not the accuracy of the meter.
struct EnergyEstimate {
  Interval whole_j;  ///< energy of one iteration, without restoring memory
  Interval whole_s;  ///< time of one iteration, without restoring memory
  Interval whole_w;  ///< mean power of the whole
  Interval sum_j;    ///< energy of the sum; its interval is that of sum / whole, times whole_j.value
  /// The two measurements whose weighted mean is sum_j: from differences of iterations with and without
  /// launches, and from iterations in which copies replace launches (not available if there is only one
  /// group).
  Interval by_differences_j;
  std::optional<Interval> by_replacement_j;
  Interval sum_w;    ///< mean power of the sum: its energy divided by sum_s
  double sum_s = 0;  ///< time of all groups in context
  /// Sum of the times that the groups add to their iterations. It equals sum_s if the other launches take the
  /// same time with and without each group.
  double added_s = 0;
  /// Energy and time of restoring memory once. Both are already subtracted from the values of the whole.
  double restore_j = 0, restore_s = 0;
  std::vector<GroupEnergy> groups;  ///< in the order of the plan
  /// Mean GPU clock during the readings of the whole, and during those of the groups; nothing if not
  /// reported.
  std::optional<double> whole_clock_hz, kernels_clock_hz;
  /// Lowest and highest temperature of a reading, degrees Celsius; nothing if the device does not report it.
  std::optional<double> coldest_c, warmest_c;
  double relative_half_width() const { return sum_j.half_width / whole_j.value; }
};

/// Returns the estimate from the readings of one meter (an index into EnergyPlan::meters); nothing if this
/// meter has no power for the whole or for a group.
///
/// A group's energy is the difference between an iteration with its launches and one without them, divided by
/// the whole of the same block. If the groups together add more time than they take in context, the energy of
/// the excess is subtracted from the sum (power_of_added_time); if they add less, the missing time is added
/// at the whole's mean power. The result is the mean of this sum and of replaced_sum(), each weighted by the
/// inverse square of its half-width. The share of each group in the sum follows from its own differences.
std::optional<EnergyEstimate> estimate_energy(const EnergyPlan& plan, const std::vector<EnergyBlock>& blocks,
                                              size_t meter);

/// Returns the index of the group whose next block reduces the variance of the sum most; for all launches
/// together, it is the number of groups. Groups without a block come first.
int next_to_measure(const EnergyPlan& plan, const std::vector<EnergyBlock>& blocks);

}  // namespace kjoule
