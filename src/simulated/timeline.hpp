#pragma once
#include <cstdint>
#include <vector>

#include "device/observation.hpp"
#include "simulated/program.hpp"

namespace kjoule {

/// A launch as the program itself runs it, without noise and drift.
struct EagerLaunch {
  /// Time from the end of the previous launch, host gap included; negative if the launches overlap.
  double gap_s = 0;
  double body_s = 0;
  /// Time of gap and body in the replayed whole, without the host gap.
  double in_whole_s = 0;
  int stream = 0;  ///< numbered in order of first use; overlapping launches are on different streams
};

/// Returns the launches of one iteration in its steady state.
std::vector<EagerLaunch> eager_iteration(const SimulatedProgram& program);

/// Returns the device's timeline of an iteration that begins at `begin_ns`. All times are the true times
/// multiplied by `slowdown`. The launch of the spec's `lost_record` is missing, so that the audit reports a
/// difference.
Observation observation_of(const SimulatedProgram& program, double slowdown, int64_t begin_ns);

}  // namespace kjoule
