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

/// Energy of the whole and of the sum over its groups. Intervals are 95 % confidence intervals. They include
/// scatter and errors of the method, but not the accuracy of the meter. Half-widths of energies and powers
/// are infinite if the whole was read only once.
struct EnergyEstimate {
  Interval whole_j;  ///< energy of one iteration, without restoring memory
  Interval whole_s;  ///< time of one iteration, without restoring memory
  Interval whole_w;  ///< mean power of the whole
  /// Energy of the sum; its half-width is the half-width of sum / whole, times whole_j.value.
  Interval sum_j;
  /// The two measurements whose weighted mean is sum_j. by_differences_j comes from differences between
  /// iterations with and without launches. by_replacement_j comes from iterations in which copies replace
  /// launches; not available if there is only one group.
  Interval by_differences_j;
  std::optional<Interval> by_replacement_j;
  Interval sum_w;    ///< mean power of the sum: its energy divided by sum_s
  double sum_s = 0;  ///< time of all groups in context
  /// Sum of the times that the groups add to their iterations. Equal to sum_s if the launches outside a group
  /// take the same time with and without the group.
  double added_s = 0;
  /// Energy and time of restoring memory once. Both are already subtracted in whole_j and whole_s.
  double restore_j = 0, restore_s = 0;
  std::vector<GroupEnergy> groups;  ///< in the order of the plan
  /// Mean GPU clock during the readings of the whole, and during the readings of the groups; nothing if the
  /// GPU does not report its clock.
  std::optional<double> whole_clock_hz, kernels_clock_hz;
  /// Lowest and highest temperature of a reading, degrees Celsius; nothing if the device does not report it.
  std::optional<double> coldest_c, warmest_c;
  double relative_half_width() const { return sum_j.half_width / whole_j.value; }
};

/// Energy, time and mean power of the whole, without restoring memory.
struct WholeEnergy {
  Interval joules, seconds, watts;
};
/// Returns the energy of the whole from readings of it by one meter (an index into EnergyPlan::meters);
/// nothing if this meter reported no power for the whole or for restoring memory.
std::optional<WholeEnergy> estimate_whole(const EnergyPlan& plan, const EnergyWholes& wholes, size_t meter);

/// Returns the estimate from the readings of one meter (an index into EnergyPlan::meters); nothing if this
/// meter has no power for the whole or for a group.
///
/// A group's energy is the difference between an iteration with its launches and one without its launches,
/// divided by the whole of the same block. The groups together may add more time than they take in context:
/// the energy of the excess is then subtracted from their sum (power_of_added_time()). They may also add less
/// time: the missing time is then added at the whole's mean power. The sum of the estimate is the mean of
/// this sum and of replaced_sum(), each weighted by the inverse square of its half-width. The sum is divided
/// among the groups in proportion to their differences.
std::optional<EnergyEstimate> estimate_energy(const EnergyPlan& plan, const std::vector<EnergyBlock>& blocks,
                                              size_t meter);

/// Returns the EnergyBlock::group for which one more block reduces the variance of the sum most. Returns the
/// groups without a block first.
int next_to_measure(const EnergyPlan& plan, const std::vector<EnergyBlock>& blocks);

}  // namespace kjoule
