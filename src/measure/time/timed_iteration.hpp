#pragma once
#include <set>
#include <vector>

#include "recording/recording.hpp"

namespace kjoule {

/// The recorded window in the form in which it is replayed and timed. Positions count the launches of
/// order(). A closed window (an iteration) is repeated endlessly: with n launches, position p is launch p %
/// n.
struct TimedIteration {
  size_t launches = 0;             ///< number of launches in the recording
  std::set<LaunchIndex> excluded;  ///< launches that cannot be replayed and are omitted
  /// Launches that may begin before the previous launch has ended (programmatic dependent launches). No stamp
  /// is placed between such a launch and the previous one.
  std::set<LaunchIndex> may_start_early;
  /// Launches that run on another engine of the device than kernels do: copies to and from the host, and
  /// memsets of at most 8 bytes.
  std::set<LaunchIndex> engine_switches{};
  std::set<LaunchIndex> cooperative{};  ///< cooperative launches
  WindowEdges edges{};
  /// Whether launches wait for other ranks. If so, the first iteration of a graph differs from later ones,
  /// because all ranks begin it at the same time.
  bool waits_for_ranks = false;
  /// Whether an iteration that begins with the results of the iteration before it does other work than in the
  /// program, which runs it once.
  bool changes_inputs = false;
  /// Whether memory is restored after each iteration. Restoring is replayed as the last launch of order(),
  /// with the index `launches`, and is not measured.
  bool restores = false;

  bool is_closed() const { return edges.is_closed(); }
  /// Returns whether the iteration is replayed in a row, on its own results.
  bool repeats() const { return is_closed() && !restores; }
  /// Returns whether the launch is measured. False if the launch belongs to the lead or tail, which are only
  /// replayed.
  bool is_measured(LaunchIndex launch) const {
    return launch >= edges.lead && launch < launches - edges.tail;
  }
  /// Returns the launches that are replayed, in order, and restoring if memory is restored after them.
  std::vector<LaunchIndex> order() const;
  /// Return the position of the first measured launch, and the position after the last measured launch.
  uint32_t first_measured() const;
  uint32_t end_measured() const;
  /// Returns for each position in order() whether a stamp may follow the launch.
  std::vector<bool> may_stamp() const;
  /// Returns the groups of two or more successive launches between which no stamp is placed, in order. The
  /// first launch of an iteration counts as the successor of the last launch.
  std::vector<std::vector<LaunchIndex>> timed_together_groups() const;
  /// Returns for each position in order() whether the launch is in engine_switches.
  std::vector<bool> switches_engine() const;
};

/// Returns the iteration of `recording` without the launches `excluded`.
TimedIteration timed_iteration(const Recording& recording, std::set<LaunchIndex> excluded);

}  // namespace kjoule
