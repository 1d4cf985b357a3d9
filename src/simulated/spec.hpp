#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "recording/recording.hpp"

namespace kjoule {

/// What `--device simulated:SPEC` asks for. SPEC is key=value, separated by commas; each key below is a
/// member.
struct SimulatedSpec {
  enum class Edges { draining, clean };
  enum class LongReuse { automatic, on, off };
  enum class MeterHealth { works, none, frozen, resets };

  uint64_t seed = 1;  ///< decides the program and the noise, all by itself
  int launches = 0;   ///< in an iteration; 0: 40 to 300, drawn
  /// draining: a reading of the clock would drain the pipeline, so that launches are timed by stamps (CUDA);
  /// clean: the clock can be read between launches (CPU).
  Edges edges = Edges::draining;
  std::optional<double> noise;  ///< depth of the Pareto noise; drawn from 0.005 to 0.03 if not given
  double drift = 0.3;           ///< the speed's change within a minute
  LongReuse long_reuse = LongReuse::automatic;  ///< auto: a third of the seeds
  std::optional<LaunchIndex> fail;              ///< this launch throws when it is replayed
  std::optional<double> crash;                  ///< the device is lost after that many virtual seconds
  bool differ = false;                          ///< the program's iterations differ, so recording it fails
  std::optional<LaunchIndex> lost_record;       ///< the timeline has no record of this launch

  /// By what share everything takes longer from the fifth Stamped track on: an instrument that disturbs.
  double distortion = 0;
  /// By what share more a launch takes in Stamped work of more than three stamps than in other work: what
  /// plays as single launches then does not add up to the whole.
  double nonadditive = 0;
  double power_limit = 700;                ///< watts; the clock falls when the power is above
  MeterHealth meter = MeterHealth::works;  ///< none: it has no meter; frozen: its meter stands still, resets:
                                           ///< its counter falls back to 0, both 3 s after it was opened

  bool operator==(const SimulatedSpec&) const = default;
};

/// Reads a SPEC, with or without "simulated:" before it. Throws Error that names the valid keys or values.
SimulatedSpec parse_simulated_spec(std::string_view text);

/// The shortest SPEC that means the same, keys in a fixed order: two specs are equal when these are.
std::string to_string(const SimulatedSpec& spec);

}  // namespace kjoule
