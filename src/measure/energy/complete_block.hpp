#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "measure/energy/energy_block.hpp"

namespace kjoule {

/// Energy and time of one repeat of a reading.
struct RepeatEnergy {
  double joules = 0, seconds = 0;
};
using RepeatValue = double RepeatEnergy::*;

/// The meter that is used (its index), and the power that it reports in pauses, W.
struct UsedMeter {
  size_t index;
  double pause_w;
};

/// A block for which the meter reported power in all readings. Pauses are subtracted.
struct CompleteBlock {
  int group;
  RepeatEnergy whole;
  RepeatEnergy around;                      ///< mean of the whole before the block and the whole after it
  std::vector<RepeatEnergy> with, without;  ///< at the clock of the wholes around the block
  /// What their means owe to other clocks.
  double with_for_clocks_j, without_for_clocks_j;

  /// Returns the mean difference between the readings with and without the group.
  double difference(RepeatValue value) const;
  /// Returns what that difference of energies owes to other clocks.
  double for_clocks_j() const { return with_for_clocks_j - without_for_clocks_j; }
};

/// Returns the blocks for which the meter reported power in all readings.
///
/// An iteration with copies, or without some launches, runs at another clock than the whole, and so at
/// another voltage. Energies are brought to the whole's clock. Readings without a clock are used as they are.
std::vector<CompleteBlock> complete_blocks(const std::vector<EnergyBlock>& blocks, const UsedMeter& meter);

/// Returns the mean of readings of the same work; nothing if the meter lacks one of them, 0 if there are no
/// readings.
std::optional<RepeatEnergy> mean_of(const std::vector<SteadyReading>& readings, size_t meter);

/// Returns the meter with its power in pauses, which is 0 if no pauses were read; nothing if it lacks one of
/// these readings. `restoring` is energy and time of restoring memory.
std::optional<UsedMeter> used_meter(const EnergyPlan& plan, const RepeatEnergy& restoring, size_t meter);

/// Returns the mean energy and time of repeats; 0 if there are none.
RepeatEnergy mean_repeat(const std::vector<RepeatEnergy>& repeats);

/// Returns one value of each repeat.
std::vector<double> values(const std::vector<RepeatEnergy>& repeats, RepeatValue value);

}  // namespace kjoule
