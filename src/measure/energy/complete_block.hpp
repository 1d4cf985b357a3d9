#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "measure/energy/energy_block.hpp"

namespace kjoule {

/// Energy and time of one repeat of steady work.
struct RepeatEnergy {
  double joules = 0, seconds = 0;
};
using RepeatValue = double RepeatEnergy::*;

/// The meter whose readings give the results, and the power that this meter reports in pauses.
struct UsedMeter {
  size_t index;    ///< index into EnergyPlan::meters
  double pause_w;  ///< power in pauses, W
};

/// A block for which the meter reported power in all readings. The energy and time of pauses are subtracted.
struct CompleteBlock {
  int group;            ///< EnergyBlock::group
  RepeatEnergy whole;   ///< one repeat of the whole, as read in this block
  RepeatEnergy around;  ///< mean of the wholes before and after the block
  /// One repeat per reading; energies are scaled to the clock of the wholes around the block.
  std::vector<RepeatEnergy> with, without;
  /// Parts of the mean energies of `with` and `without` that the scaling to this clock removed, J.
  double with_for_clocks_j, without_for_clocks_j;

  /// Returns the mean difference between the readings with and without the group.
  double difference(RepeatValue value) const;
  /// Returns the part of the difference between the energies with and without the group that the scaling to
  /// one clock removed, J.
  double for_clocks_j() const { return with_for_clocks_j - without_for_clocks_j; }
};

/// Returns the blocks for which the meter reported power in all readings.
///
/// An iteration with copies, or without some launches, may run at another clock and voltage than the whole,
/// so that its energy is not comparable. Energies are therefore scaled to the whole's clock. Readings without
/// a clock are not scaled.
std::vector<CompleteBlock> complete_blocks(const std::vector<EnergyBlock>& blocks, const UsedMeter& meter);

/// Returns the mean of readings of the same work; 0 if there are no readings. Returns nothing if the meter
/// reported no power for one of the readings.
std::optional<RepeatEnergy> mean_of(const std::vector<SteadyReading>& readings, size_t meter);

/// Returns the meter with its power in pauses, which is 0 if no pauses were read. Returns nothing if the
/// meter reported no power for one of the readings of pauses. `restoring` is energy and time of restoring
/// memory once.
std::optional<UsedMeter> used_meter(const EnergyPlan& plan, const RepeatEnergy& restoring, size_t meter);

/// Returns the mean energy and time of repeats; 0 if there are none.
RepeatEnergy mean_repeat(const std::vector<RepeatEnergy>& repeats);

/// Returns the member `value` of each repeat.
std::vector<double> values(const std::vector<RepeatEnergy>& repeats, RepeatValue value);

}  // namespace kjoule
