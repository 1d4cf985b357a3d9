#pragma once
#include <optional>
#include <vector>

#include "base/numbers/interval.hpp"
#include "measure/energy/energy_block.hpp"

namespace kjoule {

/// Energy of one group of kernels per iteration, from the group's blocks.
struct GroupEnergy {
  Interval joules;
  double seconds = 0;  ///< time of the group in context
  int blocks = 0;
};

/// Energy of the whole and of the sum over its groups. Intervals are 95 % and cover scatter and the method,
/// not the accuracy of the meter.
struct EnergyEstimate {
  Interval whole_j;  ///< energy of one iteration, without restoring memory
  Interval whole_s;  ///< time of one iteration, without restoring memory
  Interval whole_w;
  Interval sum_j;  ///< the interval is that of sum / whole, times whole_j.value
  /// The two measurements of the sum of which sum_j is the mean: by the differences of iterations with and
  /// without launches, and with copies in place of the launches (not available for one group).
  Interval by_differences_j;
  std::optional<Interval> by_replacement_j;
  Interval sum_w;  ///< sum of energies divided by the sum of times
  double sum_s = 0;
  /// Time that all groups add to the iterations in which they are measured; equal to sum_s if the other
  /// launches take the same time with and without them.
  double added_s = 0;
  /// Energy and time of restoring memory once, which are subtracted.
  double restore_j = 0, restore_s = 0;
  std::vector<GroupEnergy> groups;  ///< in the order of the plan
  std::optional<double> whole_clock_hz, kernels_clock_hz;
  std::optional<double> coldest_c, warmest_c;
  double relative_half_width() const { return sum_j.half_width / whole_j.value; }
};

/// Returns the estimate from the readings of one meter (an index into EnergyPlan::meters); nothing if that
/// meter lacks a reading of the whole or of a group.
///
/// A group's energy is the difference between an iteration with its launches and one without them, divided by
/// the whole of the same block. Time that all groups add beyond their time in context is subtracted from the
/// sum (power_of_added_time); time that is missing is added at the whole's mean power. The sum is the mean
/// of that and of replaced_sum, each weighted by the inverse square of its half-width. Each group's share of
/// the sum follows from its own differences.
std::optional<EnergyEstimate> estimate_energy(const EnergyPlan& plan, const std::vector<EnergyBlock>& blocks,
                                              size_t meter);

/// Returns the group whose next block reduces the variance of the sum most, or the number of groups for all
/// launches together. Each is measured once first.
int next_to_measure(const EnergyPlan& plan, const std::vector<EnergyBlock>& blocks);

}  // namespace kjoule
