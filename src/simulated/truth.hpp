#pragma once
#include <vector>

#include "recording/recording.hpp"
#include "simulated/program.hpp"

namespace kjoule {

/// What all places of each kernel take together, of what each launch takes.
std::vector<double> by_kernel(const std::vector<double>& launches, const KernelTable& table);

/// What a simulated program's times really are: means over the noise, at the device's mean speed (drift left
/// out), in the steady state of the iteration played again and again.
struct Truth {
  std::vector<double> launch_s;  ///< each launch in its place, the gap before it included
  double whole_s = 0;            ///< the launches one after another: the sum of launch_s
  double eager_s = 0;  ///< as the program itself runs them, host gaps included; whole_s where edges are clean
  /// What an Iteration takes on top of that because the device is drained before it.
  double edge_s = 0;

  /// Seconds that the kernels of the table take in an iteration, all places of each together.
  std::vector<double> kernel_s(const KernelTable& table) const { return by_kernel(launch_s, table); }
};

Truth truth_of(const SimulatedProgram& program);

}  // namespace kjoule
