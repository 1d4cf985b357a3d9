#pragma once
#include <functional>
#include <vector>

#include "base/clock.hpp"
#include "base/progress.hpp"
#include "measure/plan.hpp"
#include "measure/round.hpp"

namespace kjoule {

/// When to stop measuring.
struct RoundOptions {
  double precision = 0.0025;  ///< asked half-width of the sum's 95 % interval, as a share of the whole
  double time_limit_s = 0;    ///< of measuring; 0: by the time that an iteration takes
};

/// Why measuring stopped.
enum class Stopped { precise, time_limit };
/// As rows and reports name it.
const char* to_string(Stopped stopped);

/// Measures rounds until the sum is as precise as asked or the time is used up.
///
/// `rounds` holds the rounds that an earlier, killed run completed and receives the new ones; each new one is
/// passed to `on_round` before the next begins. The DeviceError of a launch that cannot be played is passed
/// on; the caller excludes its kernel and calls again.
Stopped measure_rounds(Device& device, const Clock& clock, const TimedIteration& iteration, const Plan& plan,
                       const RoundOptions& options, std::vector<Round>& rounds,
                       const std::function<void(const Round&)>& on_round, Progress& progress);

}  // namespace kjoule
