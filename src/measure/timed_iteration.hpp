#pragma once
#include <set>
#include <vector>

#include "recording/recording.hpp"

namespace kjoule {

/// The recorded iteration as it is played and timed.
struct TimedIteration {
  size_t launches = 0;             ///< in the recording
  std::set<LaunchIndex> excluded;  ///< launches that cannot be played; they are left out
  /// Launches that may begin before the launch before them has ended (programmatic dependent launch). Nothing
  /// may be timed between the two.
  std::set<LaunchIndex> early;
  /// Launches that run on another engine of the device than kernels do: copies to and from the host, and
  /// memsets of a single word.
  std::set<LaunchIndex> engine_switches{};

  /// The launches that are played, in order.
  std::vector<LaunchIndex> order() const;
  /// By place in order(): whether a stamp may follow the launch.
  std::vector<bool> may_stamp() const;
  /// Groups of two and more neighbours that no stamp parts, in order; the iteration's end and its begin are
  /// neighbours.
  std::vector<std::vector<LaunchIndex>> joined_groups() const;
  /// By place in order(): whether the launch is one of engine_switches.
  std::vector<bool> switches_engine() const;
};

TimedIteration timed_iteration(const Recording& recording, std::set<LaunchIndex> excluded);

}  // namespace kjoule
