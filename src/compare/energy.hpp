#pragma once
#include <string>
#include <vector>

#include "measure/energy_estimate.hpp"
#include "results/energy.hpp"
#include "results/timing.hpp"

namespace kjoule {

/// All that was measured of a program's energy.
struct MeasuredEnergy {
  EnergyPlan plan;
  std::vector<EnergyBlock> blocks;
  std::optional<double> idle_w;
  std::string stopped;
  std::string missing;             ///< why measuring ended before it should
  std::vector<std::string> notes;  ///< of the meters
};

/// Sum against whole, with notes on what differs: meters, clocks, time with and without gaps.
EnergyResult make_energy_result(const MeasuredEnergy& measured);

/// Gives each kernel of the table its energy; those of a group share it by their times in context. `kernels`
/// are in the table's order.
void add_energy(const MeasuredEnergy& measured, const EnergyResult& result,
                std::vector<KernelResult>& kernels);

}  // namespace kjoule
