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

  uint64_t seed = 1;  ///< decides program and noise completely
  int launches = 0;   ///< launches per iteration; 0: 40 to 300, drawn from the seed
  /// Key "edges". false ("draining"): reading the clock would drain the pipeline, so launches are timed by
  /// stamps, as with CUDA. true ("clean"): the clock can be read between launches, as on a CPU.
  bool can_time_between_launches = false;
  std::optional<double> noise;  ///< depth of the Pareto noise; drawn from 0.005 to 0.03 by default
  double drift = 0.3;           ///< largest change of the speed within a minute, as a share
  LongReuse long_reuse = LongReuse::automatic;  ///< automatic: a third of the seeds
  std::optional<LaunchIndex> fail;              ///< the launch that fails when it is replayed
  std::optional<double> crash;                  ///< virtual seconds after which the device is lost
  bool differ = false;  ///< whether the program's iterations differ, so that recording fails
  std::optional<LaunchIndex> lost_record;  ///< the launch of which the timeline has no record

  /// Share by which all work takes longer from the fifth StampedWork track on: an instrument that disturbs
  /// the device.
  double distortion = 0;
  /// Share by which launches take longer in StampedWork with more than three stamps than in other work: the
  /// times of single launches then do not add up to the whole.
  double nonadditive = 0;
  double power_limit = 700;  ///< watts; the clock falls if the power is above
  /// none: the device has no meter. frozen: the meter's value stops changing, resets: the counter falls to 0,
  /// both 3 s after the meter was opened.
  MeterHealth meter = MeterHealth::works;
  /// Samples of the power per second by the power sensor, Hz; 0: the sensor integrates the power.
  double sensor_rate = 1100;

  bool operator==(const SimulatedSpec&) const = default;
};

/// Returns the options of a SPEC, with or without "simulated:" in front. Throws Error that names the valid
/// keys or values.
SimulatedSpec parse_simulated_spec(std::string_view text);

/// Returns the shortest SPEC with the same meaning, with keys in a fixed order: two specs are equal if their
/// texts are.
std::string to_string(const SimulatedSpec& spec);

}  // namespace kjoule
