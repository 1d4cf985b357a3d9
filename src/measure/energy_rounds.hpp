#pragma once
#include <functional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "base/progress.hpp"
#include "measure/energy_block.hpp"
#include "measure/estimate.hpp"
#include "measure/rounds.hpp"

namespace kjoule {

/// When to stop.
struct EnergyOptions {
  double precision = 0.015;  ///< asked half-width of the sum's 95 % interval, as a share of the whole
  double time_limit_s = 30;  ///< of measuring once each group was measured; warming up comes on top
  /// Of measuring what the device draws with nothing to do: quiet before it, and what is read.
  double idle_settle_s = 0.5, idle_span_s = 0.8;
};

/// Kernels into groups: the largest by their time in context alone, the others by tier; in so little time
/// that groups could not be measured twice fewer alone, for the sum has the noise of each. Kernels whose
/// launches cannot be played are left out.
std::vector<EnergyGroup> energy_groups(const KernelTable& table, const SumEstimate& times,
                                       const std::set<LaunchIndex>& excluded, double time_limit_s);

/// `iteration_s`: about what the whole takes; `meter`: the one that counts, slow ones need long readings.
EnergyPlan make_energy_plan(std::vector<EnergyGroup> groups, double iteration_s, const MeterFacts& meter);

/// Chooses with which caches the groups' iterations begin: those with which the groups add to the iteration
/// what they take in context.
void choose_caches(Device& device, EnergyPlan& plan);

/// Reads what putting the memory back takes, by itself, and what the device draws in pauses.
void read_put_back(Device& device, std::span<MeterRecord> meters, EnergyPlan& plan);

/// Warms the device up until the whole's power rests, then measures blocks, each of the group where it helps
/// the sum most, until that is as precise as asked or time is up, but each group once. `blocks` holds what an
/// earlier, killed run completed and receives the new ones; each new one is told to `on_block`.
Stopped measure_energy(Device& device, std::span<MeterRecord> meters, const EnergyPlan& plan,
                       const EnergyOptions& options, std::vector<EnergyBlock>& blocks,
                       const std::function<void(const EnergyBlock&)>& on_block, Progress& progress);

}  // namespace kjoule
