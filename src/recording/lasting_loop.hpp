#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "recording/iteration_position.hpp"
#include "recording/watched_launches.hpp"

namespace kjoule {

/// A loop in which a running program has been for so long that its iteration may be measured now. Launches
/// are numbered as in WatchedLaunch: each node of a graph counts.
struct LastingLoop {
  uint64_t first = 0;   ///< number of a launch that begins an iteration
  uint64_t length = 0;  ///< launches per iteration; 0 where iterations differ
  /// Where the lengths of iterations differ: the launch that begins each iteration, and the launches of the
  /// shortest and of the longest iteration.
  IterationBegin begin{};
  uint64_t shortest = 0, longest = 0;
  uint64_t iterations = 0;     ///< complete iterations so far
  double repeating_share = 0;  ///< share of its launches that use the same memory in each iteration
  int64_t iteration_ns = 0;    ///< median host time of an iteration
  int64_t pause_ns = 0;        ///< median pause of the host before an iteration
  /// Of the loop with the next longest host time: launches per iteration, number of its first launch, and
  /// iterations; all 0 if there is no other loop.
  uint64_t other_length = 0, other_first = 0, other_iterations = 0;
};

/// Returns whether the launches cover enough host time for find_lasting_loop() to find a loop in them.
bool can_last(const WatchedLaunches::Extent& launches, int64_t lasting_ns);

/// Returns the loop at the end of these launches of a running program, if loops of its kind fill 80 % of the
/// last `lasting_ns` of host time. If WatchedLaunches is full and covers less host time, they must fill 80 %
/// of the time that it covers.
///
/// The iteration begins at the launch before which the host pauses longest (median over the last iterations),
/// because programs wait for the device between iterations. If iterations differ in length, this launch must
/// occur exactly once in each; if there is no such launch, returns nothing.
///
/// If several threads launch, the order of their launches may differ from iteration to iteration, so that no
/// loop is found. Then the loop is searched in the launches of the busiest thread alone; the other threads'
/// launches between two of its iterations belong to the iteration, which may begin with a launch of any
/// thread. In this way a backward pass in a thread of its own is in the same iteration as the forward pass
/// whose results it reads; this matters because the next forward pass may write to other memory. Needs three
/// times the time and memory of find_structure().
std::optional<LastingLoop> find_lasting_loop(std::span<const WatchedLaunch> launches, int64_t lasting_ns);

}  // namespace kjoule
