#pragma once
#include <vector>

#include "recording/recording.hpp"
#include "simulated/program.hpp"
#include "simulated/truth.hpp"

namespace kjoule {

/// What a simulated program's energies really are: of the whole played again and again without end and with
/// nothing put back, at the temperature at which it settles and, where it reaches the power limit, at the
/// clock at which it settles; means over the noise, at the device's mean speed (drift left out). The whole's
/// times are those of truth_of where it does not reach the limit.
struct EnergyTruth {
  std::vector<double> launch_j;  ///< each launch in its place, the gap before it and idle power included
  double whole_j = 0;            ///< the sum of launch_j
  double whole_s = 0;
  double whole_w = 0;  ///< whole_j / whole_s
  double temperature_c = 0;
  double clock_hz = 0;

  /// Joules that the kernels of the table take in an iteration, all places of each together.
  std::vector<double> kernel_j(const KernelTable& table) const { return by_kernel(launch_j, table); }
};

EnergyTruth energy_truth_of(const SimulatedProgram& program);

}  // namespace kjoule
