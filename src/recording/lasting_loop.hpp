#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "recording/iteration_position.hpp"
#include "recording/watched_launches.hpp"

namespace kjoule {

/// A loop that a running program has repeated for so long that one of its iterations may be measured now.
/// Launches are numbered as in WatchedLaunch: each node of a graph counts.
struct LastingLoop {
  uint64_t first = 0;   ///< number of a launch that begins an iteration
  uint64_t length = 0;  ///< launches per iteration; 0 if iterations differ in length
  /// If iterations differ in length: `begin` is the launch that begins each iteration, `shortest` and
  /// `longest` are the numbers of launches of the shortest and the longest iteration. Otherwise unused.
  IterationBegin begin{};
  uint64_t shortest = 0, longest = 0;
  uint64_t iterations = 0;  ///< complete iterations so far
  /// Share of the loop's launches that use the same memory in each iteration, from 0 to 1.
  double repeating_share = 0;
  int64_t iteration_ns = 0;  ///< median host time of an iteration
  int64_t pause_ns = 0;      ///< median time that the host pauses before an iteration
  /// Of the loop with the next longest host time: its launches per iteration, the number of its first launch,
  /// and the number of its iterations. All are 0 if there is no second loop.
  uint64_t other_length = 0, other_first = 0, other_iterations = 0;
};

/// Returns whether the launches cover enough host time that find_lasting_loop() can find a loop in them.
bool can_last(const WatchedLaunches::Extent& launches, int64_t lasting_ns);

/// Returns the loop at the end of these launches of a running program. Returns nothing unless loops with the
/// same body take at least 80 % of the last `lasting_ns` of host time. If WatchedLaunches is full before its
/// launches cover `lasting_ns`, the 80 % refer to the host time that they cover.
///
/// Programs wait for the device between iterations. So the iteration begins at the launch after the host's
/// longest wait or, if the host never waits, after its longest pause (HostPause). If iterations differ in
/// length, the iteration begins at a launch that occurs exactly once in each iteration; if there is no such
/// launch, the function returns nothing.
///
/// If several threads launch, the order of their launches may differ from iteration to iteration, so that no
/// loop is found. Then the loop is searched in the launches of the thread with the most launches. Each
/// iteration also contains the launches that the other threads issue during it, and may begin with a launch
/// of any thread. So a backward pass in a thread of its own belongs to the same iteration as the forward pass
/// whose results it reads. This is necessary because the next forward pass may write its results to other
/// memory. Needs three times the time and memory of find_structure().
std::optional<LastingLoop> find_lasting_loop(std::span<const WatchedLaunch> launches, int64_t lasting_ns);

}  // namespace kjoule
