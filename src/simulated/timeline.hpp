#pragma once
#include <cstdint>
#include <vector>

#include "device/observation.hpp"
#include "simulated/program.hpp"

namespace kjoule {

/// A launch as the program itself runs it, without noise and drift.
struct EagerLaunch {
  double gap_s = 0;  ///< before it, the host's included; negative where it overlaps the launch before it
  double body_s = 0;
  double played_s = 0;  ///< gap and body where the host's gap is left out: inside the played whole
  int stream = 0;       ///< numbered in order of first use; launches that overlap are on different ones
};

/// The iteration in its steady state.
std::vector<EagerLaunch> eager_iteration(const SimulatedProgram& program);

/// What the device's timeline says when it is that much slower than its truth and the iteration begins then.
/// The spec's `lost_record` is missing from the iteration and so differs in the audit.
Observation observation_of(const SimulatedProgram& program, double slowdown, int64_t begin_ns);

}  // namespace kjoule
