#pragma once
// The folder energy measures the energy of groups of launches in context. energy_groups() and
// make_energy_plan() say what is read; measure_energy() then measures EnergyBlocks, readings of the whole
// and of an iteration with and without a group, and estimate_energy() turns them into energies with
// intervals. MeasuredRun (run) calls all but the last, which compare calls. For slow meters, such as one at
// the socket, measure_meter_block() repeats work for so long that a power log has readings of it.
// Read first: EnergyPlan, EnergyBlock, EnergyEstimate; docs/design/method.md, "Energy", explains the method.

#include <functional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "base/process/progress.hpp"
#include "measure/energy/energy_block.hpp"
#include "measure/time/estimate.hpp"
#include "measure/time/rounds.hpp"

namespace kjoule {

/// Precision and time limit of measuring energy, and the timing of measuring idle power.
struct EnergyOptions {
  double precision = 0.015;  ///< requested half-width of the sum's 95 % interval, as a share of the whole
  /// Limit on measuring after each group was measured once; warming up is not included.
  double time_limit_s = 30;
  /// Measuring idle power: a quiet time, then the time that is averaged.
  double idle_settle_s = 0.5, idle_span_s = 0.8;
};

/// Divides the kernels into groups: up to three of the largest kernels are groups of their own, the others
/// are grouped by tier. Fewer kernels have their own group if `time_limit_s` is too short to measure each
/// group twice with `meter`, because the sum has the noise of each group. Excluded kernels are omitted.
std::vector<EnergyGroup> energy_groups(const KernelTable& table, const SumEstimate& times,
                                       const std::set<LaunchIndex>& excluded, double time_limit_s,
                                       const MeterFacts& meter);

/// Returns the plan without readings. `iteration_s` is the approximate time of the whole. `meter` is the
/// meter that is used; a slow one needs long readings.
EnergyPlan make_energy_plan(std::vector<EnergyGroup> groups, double iteration_s, const MeterFacts& meter);

/// Limits the plan to the measured launches of a window that is no iteration.
void set_edges(const TimedIteration& window, EnergyPlan& plan);

/// Reads time and power of restoring memory, repeated back to back, and the power in pauses, into the plan.
/// Throws Error for a window whose lead and restoring take longer than its measured launches: a small error
/// of theirs would be a large one of the window's.
void read_restoring(Device& device, std::span<MeterRecord> meters, EnergyPlan& plan);

/// Warms the device up until the power of the whole is steady, then measures blocks until the sum is precise
/// enough or the time limit is reached. Each group is measured at least once; then the group that improves
/// the sum most is next.
///
/// `blocks` contains the blocks of an earlier, killed run and receives the new ones. `on_block` is called
/// with each new block.
Stopped measure_energy(Device& device, std::span<MeterRecord> meters, const EnergyPlan& plan,
                       const EnergyOptions& options, std::vector<EnergyBlock>& blocks,
                       const std::function<void(const EnergyBlock&)>& on_block, Progress& progress);

}  // namespace kjoule
