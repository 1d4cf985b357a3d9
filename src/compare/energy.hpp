#pragma once
#include <string>
#include <vector>

#include "compare/energy_result.hpp"
#include "compare/result.hpp"
#include "measure/energy/energy_estimate.hpp"

namespace kjoule {

/// All energy measurements of one program.
struct MeasuredEnergy {
  EnergyPlan plan;
  std::vector<EnergyBlock> blocks;
  std::optional<double> idle_w;
  std::string stopped;
  std::string missing;             ///< why measuring ended early; empty if it did not
  std::vector<std::string> notes;  ///< notes of the meters
};

/// Returns the energy of sum and whole, with notes on differences between meters, clocks, and times with and
/// without gaps. Sets the energy of each of `kernels`, which are in the table's order; the kernels of one
/// group share its energy in proportion to their times in context.
EnergyResult make_energy_result(const MeasuredEnergy& measured, std::vector<KernelResult>& kernels);

}  // namespace kjoule
