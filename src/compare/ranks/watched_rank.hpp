#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "compare/ranks/recorded_collectives.hpp"
#include "recording/recording.hpp"
#include "recording/run_log.hpp"

namespace kjoule {

/// The kind of a device operation, by what the GPU does in it.
enum class WatchedPart : uint8_t {
  computation,  ///< a kernel that is not a collective
  copy,         ///< a copy or a memset
  collective,   ///< a kernel of NCCL that exchanges data with other ranks
};

/// A device operation of the running program, with the times of CUPTI, in ns on the host's steady clock.
struct WatchedOperation {
  int64_t call_ns = 0;  ///< begin of the host's call that launched it
  int64_t begin_ns = 0, end_ns = 0;
  uint32_t stream = 0;  ///< CUPTI's number
  uint32_t name = 0;    ///< index in WatchedRank::names
  WatchedPart part = WatchedPart::computation;
};

/// How far the device times of a rank are ahead of the host's clock: at least `least_ns`, at most `most_ns`.
/// No operation begins before the host launches it, and none ends after the host has waited for it.
struct ClockBounds {
  int64_t least_ns = std::numeric_limits<int64_t>::min();  ///< the default states that nothing is known
  int64_t most_ns = std::numeric_limits<int64_t>::max();
};

/// The last iterations of a rank before kjoule paused the program, as the program ran them.
struct WatchedRank {
  std::string rank;  ///< name, as in RankResult
  std::vector<std::string> names;
  std::vector<RecordedCollective> collectives;  ///< of one iteration, in the order of their launches
  /// For each launch of an iteration, the launches of the same iteration that it waits for. Empty if the
  /// order of the operations does not show which launches they are, as in CUDA graphs.
  std::vector<std::vector<LaunchIndex>> waits_for;
  /// The number of the first of `iterations`; the recorded iteration has the number 0, so this one is
  /// negative.
  int64_t first = 0;
  /// Operations of consecutive iterations, each in the order of the launches.
  std::vector<std::vector<WatchedOperation>> iterations;
  ClockBounds clock;

  /// Returns the number that follows that of the last iteration.
  int64_t end() const { return first + std::ssize(iterations); }
};

/// Finds the last iterations of a rank in the log of its run, at most 256: those that have the collectives of
/// the recorded iteration, counted backwards from it. Throws Error that states why there are none.
WatchedRank watch_rank(std::string name, const RunLog& log, const Recording& recording);

}  // namespace kjoule
