#pragma once
#include <cstdint>
#include <vector>

#include "device/observation.hpp"
#include "simulated/program.hpp"

namespace kjoule {

/// A launch as the program itself runs it, without noise and drift.
struct EagerLaunch {
  /// Gap before the launch, host gap included; negative if it overlaps the previous launch.
  double gap_s = 0;
  double body_s = 0;
  /// Gap and body in the replayed whole, without the host gap.
  double in_whole_s = 0;
  int stream = 0;  ///< numbered in order of first use; overlapping launches are on different streams
};

/// Returns the launches of one iteration in its steady state.
std::vector<EagerLaunch> eager_iteration(const SimulatedProgram& program);

/// Returns the device's timeline of an iteration that begins at `begin_ns` on a device that is slower than
/// its truth by the factor `slowdown`. The launch of the spec's `lost_record` is missing, so the audit
/// reports a difference.
Observation observation_of(const SimulatedProgram& program, double slowdown, int64_t begin_ns);

}  // namespace kjoule
