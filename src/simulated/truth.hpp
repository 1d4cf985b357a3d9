#pragma once
#include <vector>

#include "recording/recording.hpp"
#include "simulated/program.hpp"

namespace kjoule {

/// Returns the sum of `launches` (times or energies by launch) over all places of each kernel.
std::vector<double> by_kernel(const std::vector<double>& launches, const KernelTable& table);

/// The true times of a simulated program: means over the noise, at the device's mean speed (without drift),
/// in the steady state of the repeated iteration.
struct Truth {
  std::vector<double> launch_s;  ///< for each launch in context, with the gap before it
  double whole_s = 0;            ///< time of the whole: the sum of launch_s
  /// Time of the program's own iteration, host gaps included; equal to whole_s if the device can time between
  /// launches.
  double eager_s = 0;
  /// Time that an Iteration takes in addition to whole_s, because the device is drained before it.
  double edge_s = 0;

  /// Returns the time of each kernel per iteration, in s, as the sum over its places.
  std::vector<double> kernel_s(const KernelTable& table) const { return by_kernel(launch_s, table); }
};

/// Returns the true times of a program.
Truth truth_of(const SimulatedProgram& program);

}  // namespace kjoule
