#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "recording/recording.hpp"

namespace kjoule {

/// The options of `--device simulated:SPEC`. SPEC consists of key=value pairs, separated by commas; each key
/// is the name of a member, except "edges".
struct SimulatedSpec {
  enum class LongReuse { automatic, on, off };
  enum class MeterHealth { works, none, frozen, resets };

  uint64_t seed = 1;  ///< determines program and noise completely
  int launches = 0;   ///< launches per iteration; 0: 40 to 300, depending on the seed
  /// Key "edges". false ("draining"): reading the clock would drain the pipeline, so launches are timed by
  /// stamps, as with CUDA. true ("clean"): the clock can be read between launches, as on a CPU.
  bool can_time_between_launches = false;
  std::optional<double> noise;  ///< scale of the noise as a share of a launch's time; default: 0.005 to 0.03
  double drift = 0.3;           ///< largest change of the speed within a minute, as a share
  /// Whether data is reused across layers; automatic: for a third of the seeds.
  LongReuse long_reuse = LongReuse::automatic;
  std::optional<LaunchIndex> fail;  ///< the launch that fails when it is replayed
  std::optional<double> crash;      ///< virtual time in s after which the device is lost
  bool differ = false;              ///< whether the program's iterations differ, so that recording fails
  std::optional<LaunchIndex> lost_record;  ///< the launch that is missing in the timeline

  /// Share by which all work takes longer from the fifth StampedWork track on, to simulate an instrument that
  /// disturbs the device.
  double distortion = 0;
  /// Share by which launches take longer in StampedWork with more than three stamps than in other work. The
  /// times of single launches then do not add up to the whole.
  double nonadditive = 0;
  /// Factor by which launches are faster in an iteration that begins with the results of the iteration before
  /// it, as those of a solver that has already converged.
  double converged = 1;
  double power_limit = 700;  ///< power limit in W, above which the clock falls
  /// none: the device has no meter. frozen: the meter's value stops changing 3 s after the meter was opened.
  /// resets: the counter falls to 0 after this time.
  MeterHealth meter = MeterHealth::works;
  /// Sampling rate of the power sensor, in Hz; 0: the sensor integrates the power.
  double sensor_rate = 1100;

  bool operator==(const SimulatedSpec&) const = default;
};

/// Parses a SPEC, with or without the prefix "simulated:". Throws Error that names the valid keys or values.
SimulatedSpec parse_simulated_spec(std::string_view text);

/// Returns the shortest SPEC with the same meaning, with keys in a fixed order. Two specs are equal if and
/// only if their texts are equal.
std::string to_string(const SimulatedSpec& spec);

}  // namespace kjoule
