#pragma once
#include <string>
#include <vector>

#include "recording/recording.hpp"
#include "simulated/cache.hpp"
#include "simulated/power.hpp"
#include "simulated/spec.hpp"

namespace kjoule {

/// A launch whose every cost follows from what is here and from what was played before it.
struct SimulatedLaunch {
  std::string name;
  Tier tier = Tier::unknown;
  std::string signature;
  uint32_t kernel = 0;  ///< numbers the signatures, in order of first occurrence
  std::vector<ByteRange> reads;
  std::vector<ByteRange> writes;
  double flops = 0;
  double host_gap_s = 0;  ///< what the program's own host work adds before it
};

/// The hardware that the program was drawn for.
struct SimulatedMachine {
  double flops_per_s = 0;
  double hit_bytes_per_s = 0;
  double miss_bytes_per_s = 0;
  double shortest_s = 0;  ///< no launch is shorter than this, gap aside
  uint64_t cache_bytes = 0;
  double drain_s = 0;  ///< what an Iteration's first launch waits, whatever it is, on a drained device
  double noise = 0;    ///< depth of the Pareto noise
};

/// One iteration of a model-like program, and its machine: an embedding, layers of one block of launches that
/// each bring their own weights, a head. Drawn from the spec's seed alone.
struct SimulatedProgram {
  SimulatedSpec spec;
  SimulatedMachine machine;
  SimulatedPower power;
  std::vector<SimulatedLaunch> launches;
  bool long_reuse =
      false;  ///< ranges are read again many launches later, and the cache may or may not still hold them

  /// The bytes that an iteration touches, each counted once.
  uint64_t footprint_bytes() const;
};

/// The spec's options override what was drawn and move no other draw: noise=0 is the same program without
/// noise. Throws Error when the spec's `fail` or `lost_record` is not one of the program's launches.
SimulatedProgram make_simulated_program(const SimulatedSpec& spec);

}  // namespace kjoule
