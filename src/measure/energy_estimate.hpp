#pragma once
#include <optional>
#include <vector>

#include "base/interval.hpp"
#include "measure/energy_block.hpp"

namespace kjoule {

/// What the blocks say of one group of kernels, all their places in an iteration together.
struct GroupEnergy {
  Interval joules;
  double seconds = 0;  ///< in context
  int blocks = 0;
};

/// The energy of the whole, and the sum over its groups. Intervals are 95 %, of what scatters; not the
/// meter's own accuracy.
struct EnergyEstimate {
  Interval whole_j;  ///< of one iteration, memory put back not included
  Interval whole_s;  ///< likewise
  Interval whole_w;
  Interval sum_j;  ///< its interval is that of sum / whole, times whole_j.value
  Interval sum_w;  ///< sum of energies over the sum of times
  double sum_s = 0;
  double added_s = 0;  ///< what the groups add to the iterations, together; sum_s where nothing else changes
  double put_back_j = 0, put_back_s = 0;  ///< once; what is taken off
  std::vector<GroupEnergy> groups;        ///< as the plan has them
  std::optional<double> whole_clock_hz, group_clock_hz;
  std::optional<double> coldest_c, warmest_c;
  double relative_half_width() const { return sum_j.half_width / whole_j.value; }
};

/// Pure function of the blocks, as the meter of that number saw them. A group's energy is what an iteration
/// with its launches takes above one without them, over the whole of the same block. The time that all add to
/// the iterations beyond what they take in context is taken off their sum at the power of pauses, what they
/// lack is put onto it at the whole's; a group's part of the sum goes by its own times. Nothing where the
/// meter told nothing of some group, or of the whole.
std::optional<EnergyEstimate> estimate_energy(const EnergyPlan& plan, const std::vector<EnergyBlock>& blocks,
                                              size_t meter);

/// Of which group the next block lowers the error of the sum most; each group once first.
int next_to_measure(const EnergyPlan& plan, const std::vector<EnergyBlock>& blocks);

}  // namespace kjoule
