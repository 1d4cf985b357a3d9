#pragma once
// The folder energy measures the energy of groups of launches in context. energy_groups() and
// make_energy_plan() choose the groups and the timing of readings. measure_energy() measures EnergyBlocks,
// which are readings of the whole and of an iteration with and without a group. estimate_energy() computes
// energies with intervals from the blocks. The folder run (MeasuredRun) calls these functions, except
// estimate_energy(), which the folder compare calls. For slow meters, such as a meter at the socket,
// measure_meter_block() repeats work for so long that a power log contains readings of it. Read first:
// EnergyPlan, EnergyBlock, EnergyEstimate; docs/design/method.md, "Energy", explains the method.

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
  /// Time limit without the warm-up, s. Each group is measured at least once, even if the limit is exceeded.
  double time_limit_s = 30;
  /// Timing of the reading of idle power: `idle_settle_s` seconds without work, then `idle_span_s` seconds
  /// that are averaged.
  double idle_settle_s = 0.5, idle_span_s = 0.8;
};

/// Returns the kernels in groups. Each of up to three kernels with the longest times has a group of its own;
/// the remaining kernels are grouped by tier. If `time_limit_s` is too short to measure each group twice with
/// `meter`, fewer kernels have groups of their own. Kernels with launches in `excluded` are omitted.
std::vector<EnergyGroup> energy_groups(const KernelTable& table, const SumEstimate& times,
                                       const std::set<LaunchIndex>& excluded, double time_limit_s,
                                       const MeterFacts& meter);

/// Returns the plan without readings. `iteration_s` is the approximate time of the whole. `meter` is the
/// meter that gives the results: the longer its sensor interval, the longer the readings.
EnergyPlan make_energy_plan(std::vector<EnergyGroup> groups, double iteration_s, const MeterFacts& meter);

/// Sets EnergyPlan::lead and EnergyPlan::end if the window is not replayed in a row.
void set_edges(const TimedIteration& window, EnergyPlan& plan);

/// Reads time and power of restoring memory, repeated back to back, and the power in pauses, and stores the
/// readings in the plan. Throws Error if the lead of a window and restoring memory take longer than the
/// measured launches: a small error in the energy of lead and restoring would then cause a large error in the
/// energy of the measured launches.
void read_restoring(Device& device, std::span<MeterRecord> meters, EnergyPlan& plan);

/// Warms the device up until the power of the whole is steady, then reads the whole `count` times.
EnergyWholes read_wholes(Device& device, std::span<MeterRecord> meters, const EnergyPlan& plan, int count,
                         Progress& progress);

/// Warms the device up until the power of the whole is steady, then measures blocks until the sum is precise
/// enough or the time limit is reached. Each group is measured once; each further block is of the group that
/// next_to_measure() returns. Returns the reason for stopping.
///
/// `blocks` contains the blocks of an interrupted run, and the new blocks are appended to it. `on_block` is
/// called with each new block.
Stopped measure_energy(Device& device, std::span<MeterRecord> meters, const EnergyPlan& plan,
                       const EnergyOptions& options, std::vector<EnergyBlock>& blocks,
                       const std::function<void(const EnergyBlock&)>& on_block, Progress& progress);

}  // namespace kjoule
