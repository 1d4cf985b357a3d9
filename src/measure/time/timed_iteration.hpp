#pragma once
#include <set>
#include <vector>

#include "recording/recording.hpp"

namespace kjoule {

/// The recorded window as it is replayed and timed. Positions count the launches of order(). A closed window
/// (an iteration) is repeated without end: position p of n launches is launch p % n.
struct TimedIteration {
  size_t launches = 0;             ///< number of launches in the recording
  std::set<LaunchIndex> excluded;  ///< launches that cannot be replayed and are omitted
  /// Launches that may begin before the previous launch has ended (programmatic dependent launch). No stamp
  /// is placed between such a launch and the previous one.
  std::set<LaunchIndex> may_start_early;
  /// Launches that run on another engine of the device than kernels: copies to and from the host, and memsets
  /// of at most 8 bytes.
  std::set<LaunchIndex> engine_switches{};
  std::set<LaunchIndex> cooperative{};  ///< cooperative launches
  WindowEdges edges{};
  /// Whether launches wait for other ranks. The first iteration of a graph is not like the others then: all
  /// ranks begin it at the same time.
  bool waits_for_ranks = false;

  bool is_closed() const { return edges.is_closed(); }
  /// Returns whether this launch is measured, not only replayed.
  bool is_measured(LaunchIndex launch) const {
    return launch >= edges.lead && launch < launches - edges.tail;
  }
  /// Returns the launches that are replayed, in order.
  std::vector<LaunchIndex> order() const;
  /// Returns the position of the first measured launch, and the one after the last.
  uint32_t first_measured() const;
  uint32_t end_measured() const;
  /// Returns, by position in order(), whether a stamp may follow the launch.
  std::vector<bool> may_stamp() const;
  /// Returns the groups of two or more successive launches between which no stamp is placed, in order. The
  /// iteration's first launch follows its last one.
  std::vector<std::vector<LaunchIndex>> timed_together_groups() const;
  /// Returns, by position in order(), whether the launch is in engine_switches.
  std::vector<bool> switches_engine() const;
};

/// Returns the iteration of `recording`, without the `excluded` launches.
TimedIteration timed_iteration(const Recording& recording, std::set<LaunchIndex> excluded);

}  // namespace kjoule
