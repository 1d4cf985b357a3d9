#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "recording/iteration_position.hpp"
#include "recording/watched_launches.hpp"

namespace kjoule {

/// A loop that a running program has been in for so long that its iteration may be measured in place.
/// Launches are numbered as in WatchedLaunch.
struct LastingLoop {
  uint64_t first = 0;   ///< number of a launch that begins an iteration
  uint64_t length = 0;  ///< launches per iteration; 0 where iterations differ
  /// Where they do: the launch that begins each of them, and the lengths of the shortest and the longest one,
  /// in launches.
  IterationBegin begin{};
  uint64_t shortest = 0, longest = 0;
  uint64_t iterations = 0;
  double repeating_share = 0;  ///< of its launches use the same memory in each iteration
  int64_t iteration_ns = 0;    ///< median host time of an iteration
  int64_t pause_ns = 0;        ///< median pause of the host before an iteration
  /// The loop with the next most host time: launches per iteration, number of its first launch, and
  /// iterations; all 0 if there is none.
  uint64_t other_length = 0, other_first = 0, other_iterations = 0;
};

/// Returns whether launches reach back far enough for find_lasting_loop() to find a loop among them.
bool can_last(const WatchedLaunches::Extent& launches, int64_t lasting_ns);

/// Returns the loop at the end of these launches of a running program, if loops of its kind fill 80 % of the
/// last `lasting_ns` of host time. Where the launches reach less far back because there are more of them than
/// WatchedLaunches keeps, 80 % of what is there counts.
///
/// The iteration begins at the launch before which the host pauses longest (median over the last iterations),
/// because programs wait for the device between iterations. Where iterations differ in length, only launches
/// come into question that are there once in each; without any, the loop is not returned. Where several
/// threads launch, the order of their launches may differ from iteration to iteration: if no loop is found,
/// the launches of the busiest thread are divided, and between two of its iterations the other threads'
/// launches are of the iteration, too. Any thread's launch may begin it. So a backward pass in a thread of
/// its own is in one iteration with the forward pass whose results it reads: the next forward pass may write
/// its results to other memory. Needs three times the time and memory of find_structure().
std::optional<LastingLoop> find_lasting_loop(std::span<const WatchedLaunch> launches, int64_t lasting_ns);

}  // namespace kjoule
