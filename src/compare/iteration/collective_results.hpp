#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/interval.hpp"
#include "compare/iteration/rank_result.hpp"
#include "run/run_rows.hpp"

namespace kjoule {

/// The collectives of one kind on one rank, all of an iteration together.
struct CollectiveOnRank {
  double time_s = 0;  ///< their time in context
  /// How long they wait for the last rank. Nothing if the operation does not synchronise all ranks.
  std::optional<Interval> waiting_s;
};

/// The collectives of an iteration with the same operation, communicator and size.
struct CollectiveResult {
  std::string operation;       ///< NCCL's function, or the name of the kernel if it is not known
  uint64_t communicator = 0;   ///< hash of the communicator; 0 if it is not known
  uint64_t bytes = 0;          ///< size that nccl-tests states (its performance.md); 0 if it is not known
  uint64_t message_bytes = 0;  ///< size that a rank passes to the function; 0 if it is not known
  size_t count = 0;            ///< number in an iteration of a rank
  std::vector<CollectiveOnRank> ranks;  ///< in the order of the RankResults; without the ranks that have none
  std::vector<size_t> of_ranks;         ///< the index of the RankResult of each of these
  /// Largest error of the difference between two ranks' clocks, s. It is part of the intervals.
  double clock_error_s = 0;

  /// Returns the time in which one of them moves data, s: the mean over the ranks of time minus waiting.
  /// Nothing if the waiting is not known.
  std::optional<Interval> moving_s() const;
  /// Returns bytes / moving_s(), in bytes/s; nothing if either is not known.
  std::optional<double> algorithm_bandwidth() const;
  /// Returns algorithm_bandwidth() times the factor of nccl-tests for the operation and the number of ranks.
  std::optional<double> bus_bandwidth() const;
};

/// Returns the collectives of all ranks, in the order of the first rank's iteration. The waiting of a rank is
/// the mean time from its own begin to the begin on the last rank. The clocks are aligned by the comparisons
/// before and after each replay, with a straight line between them. The half-widths contain the scatter
/// between replays, and half of the round trips with which the clocks were compared.
std::vector<CollectiveResult> collective_results(const std::vector<RankResult>& ranks,
                                                 const ReplayedCollectives& replayed);

/// Returns for how long each rank waits for other ranks in the collectives of an iteration, s; empty if the
/// waiting is not known.
std::vector<double> waiting_of_ranks(const std::vector<RankResult>& ranks,
                                     const ReplayedCollectives& replayed);

}  // namespace kjoule
