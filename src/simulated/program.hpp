#pragma once
#include <string>
#include <vector>

#include "recording/recording.hpp"
#include "simulated/cache.hpp"
#include "simulated/power.hpp"
#include "simulated/spec.hpp"

namespace kjoule {

/// A simulated launch. Its cost depends on these values and on the launches before it.
struct SimulatedLaunch {
  std::string name;
  Tier tier = Tier::unknown;
  std::string signature;
  uint32_t kernel = 0;  ///< number of the signature, in order of first occurrence
  std::vector<ByteRange> reads;
  std::vector<ByteRange> writes;
  double flops = 0;
  double host_gap_s = 0;  ///< time that the program's host work adds before the launch
};

/// The simulated hardware on which the program runs.
struct SimulatedMachine {
  double flops_per_s = 0;
  double hit_bytes_per_s = 0;
  double miss_bytes_per_s = 0;
  double shortest_s = 0;  ///< shortest time of a launch without its gap
  uint64_t cache_bytes = 0;
  double drain_s = 0;  ///< additional time of an Iteration's first launch, because the device is drained
  double noise = 0;    ///< scale of the Pareto noise, as a share of a launch's time (ParetoNoise)
};

/// One iteration of a program similar to a language model, and its machine. The iteration has an embedding,
/// layers that repeat one block of launches with weights of their own, and a head. All values are drawn from
/// the spec's seed.
struct SimulatedProgram {
  SimulatedSpec spec;
  SimulatedMachine machine;
  SimulatedPower power;
  std::vector<SimulatedLaunch> launches;
  bool long_reuse =
      /// Whether ranges are read again many launches later, when the cache may or may not still contain them.
      false;

  /// Returns the number of bytes that an iteration touches, each counted once.
  uint64_t footprint_bytes() const;
};

/// Returns the program of a spec. An option of the spec replaces one random value and changes no other value:
/// noise=0 gives the same program without noise. Throws Error if the spec's `fail` or `lost_record` is not
/// one of the program's launches.
SimulatedProgram make_simulated_program(const SimulatedSpec& spec);

}  // namespace kjoule
