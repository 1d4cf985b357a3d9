#pragma once
#include <vector>

#include "recording/recording.hpp"
#include "simulated/program.hpp"
#include "simulated/truth.hpp"

namespace kjoule {

/// The true energies of a simulated program whose whole is repeated endlessly without restoring memory, at
/// the temperature and the clock at which the chip settles. If the power is below the limit, this is the
/// highest clock. All values are means over the noise, at the device's mean speed (without drift). Below the
/// power limit, the times are equal to the times of truth_of().
struct EnergyTruth {
  std::vector<double> launch_j;  ///< for each launch in context, with the gap before it and idle power
  double whole_j = 0;            ///< the sum of launch_j
  double whole_s = 0;
  double whole_w = 0;  ///< whole_j / whole_s
  double temperature_c = 0;
  double clock_hz = 0;

  /// Returns the energy of each kernel per iteration, in J, as the sum over its places.
  std::vector<double> kernel_j(const KernelTable& table) const { return by_kernel(launch_j, table); }
};

/// Returns the true energies of a program.
EnergyTruth energy_truth_of(const SimulatedProgram& program);

}  // namespace kjoule
