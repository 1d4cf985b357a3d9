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
  /// Time limit, without warm-up, s. Each group is measured at least once even if this takes longer.
  double time_limit_s = 30;
  /// Timing of the reading of idle power: `idle_settle_s` seconds without work, then `idle_span_s` seconds
  /// that are averaged.
  double idle_settle_s = 0.5, idle_span_s = 0.8;
};

/// Returns the kernels in groups: up to three of the largest kernels have their own groups, the others are
/// grouped by tier. Fewer kernels have their own group if `time_limit_s` is too short to measure each group
/// twice with `meter`, because the noise of every group is added to the sum. Excluded kernels are omitted.
std::vector<EnergyGroup> energy_groups(const KernelTable& table, const SumEstimate& times,
                                       const std::set<LaunchIndex>& excluded, double time_limit_s,
                                       const MeterFacts& meter);

/// Returns the plan without readings. `iteration_s` is the approximate time of the whole. `meter` is the
/// meter that is used: the longer its sensor interval, the longer are the readings.
EnergyPlan make_energy_plan(std::vector<EnergyGroup> groups, double iteration_s, const MeterFacts& meter);

/// Sets EnergyPlan::lead and EnergyPlan::end if the window is no iteration.
void set_edges(const TimedIteration& window, EnergyPlan& plan);

/// Reads time and power of restoring memory, repeated back to back, and the power in pauses, and stores them
/// in the plan. Throws Error if a window's lead and restoring memory take longer than its measured launches:
/// a small error of their energy would cause a large error of the window's energy.
void read_restoring(Device& device, std::span<MeterRecord> meters, EnergyPlan& plan);

/// Warms the device up until the power of the whole is steady, then measures blocks until the sum is precise
/// enough or the time limit is reached. Each group is measured once; then the next group is always the one
/// that improves the sum most.
///
/// `blocks` contains the blocks of an interrupted run, and the new blocks are appended to it. `on_block` is
/// called with each new block.
Stopped measure_energy(Device& device, std::span<MeterRecord> meters, const EnergyPlan& plan,
                       const EnergyOptions& options, std::vector<EnergyBlock>& blocks,
                       const std::function<void(const EnergyBlock&)>& on_block, Progress& progress);

}  // namespace kjoule
