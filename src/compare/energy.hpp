#pragma once
#include <string>
#include <vector>

#include "compare/energy_result.hpp"
#include "compare/result.hpp"
#include "measure/energy_estimate.hpp"

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

/// Sum against whole, with notes on what differs: meters, clocks, time with and without gaps. Gives each of
/// `kernels`, which are in the table's order, its energy; those of a group share it by their times in
/// context.
EnergyResult make_energy_result(const MeasuredEnergy& measured, std::vector<KernelResult>& kernels);

}  // namespace kjoule
