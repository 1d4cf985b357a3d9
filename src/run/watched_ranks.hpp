#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fields.hpp"
#include "base/numbers/interval.hpp"
#include "recording/collective_message.hpp"

namespace kjoule {

/// What a rank does in one iteration of the running program: means over the watched iterations, in s.
struct RankActivity {
  std::string rank;          ///< name, as in RankResult
  double iteration_s = 0;    ///< from the begin of an iteration to the begin of the next one
  double computation_s = 0;  ///< time in which at least one kernel runs that is not a collective
  double hidden_s = 0;       ///< time in which a collective runs next to such a kernel
  double exposed_s = 0;      ///< time in which a collective runs, but no such kernel
  /// Time for which the rank waits for the last rank in its collectives. Nothing if it has none that
  /// synchronise ranks.
  std::optional<Interval> waiting_s;

  double communication_s() const { return hidden_s + exposed_s; }
};

/// The waiting in the collectives of one kind in the running program.
struct CollectiveWaiting {
  std::string operation;
  std::string communicator;  ///< communicator_text(); that of 0 if it is not known
  uint64_t bytes = 0;        ///< size that a rank passes; 0 if it is not known
  /// By rank: the waiting in all of them in one iteration, s. Nothing for a rank without such collectives.
  std::vector<std::optional<Interval>> waiting_s;
};

/// The launches of one kernel on the critical path.
struct PathKernel {
  std::string rank, name;
  double launches = 0;  ///< number on the path in one iteration
  double seconds = 0;   ///< their time on the path in one iteration
};

/// The critical path of the watched iterations, divided by their number, in s.
struct PathSums {
  static constexpr size_t kParts = 5;

  double all_s = 0;
  std::vector<double> parts_s;      ///< computation, copies, moving data, idle, launch gaps
  std::vector<double> ranks_s;      ///< by rank
  std::vector<PathKernel> kernels;  ///< the 10 kernels with the longest time on it
  double rank_changes = 0;          ///< number of times that it changes to another rank
};

/// The last iterations of all ranks as the program ran them, before it was paused, or the reason (`error`)
/// why they are not known. Times are those of CUPTI.
struct WatchedRanks {
  static constexpr const char* kKind = "watched_ranks";

  uint64_t iterations = 0;
  int64_t begin_ns = 0, end_ns = 0;  ///< begin of the first one and end of the last one, on the host's clock
  double clock_error_s = 0;          ///< largest error of the difference between two ranks' clocks
  std::vector<RankActivity> ranks;
  std::vector<CollectiveWaiting> collectives;
  PathSums path;
  std::string error;
};

// Conversion to and from messages and rows (base/json/json_fields).

template <class Fields>
void describe(Fields& fields, RankActivity& rank) {
  fields("rank", rank.rank);
  fields("iteration_s", rank.iteration_s);
  fields("computation_s", rank.computation_s);
  fields("hidden_s", rank.hidden_s);
  fields("exposed_s", rank.exposed_s);
  fields("waiting_s", rank.waiting_s);
}
template <class Fields>
void describe(Fields& fields, CollectiveWaiting& waiting) {
  fields("operation", waiting.operation);
  fields("communicator", waiting.communicator);
  fields("bytes", waiting.bytes);
  fields("waiting_s", waiting.waiting_s);
}
template <class Fields>
void describe(Fields& fields, PathKernel& kernel) {
  fields("rank", kernel.rank);
  fields("name", kernel.name);
  fields("launches", kernel.launches);
  fields("seconds", kernel.seconds);
}
template <class Fields>
void describe(Fields& fields, PathSums& path) {
  fields("all_s", path.all_s);
  fields("parts_s", path.parts_s);
  fields("ranks_s", path.ranks_s);
  fields("kernels", path.kernels);
  fields("rank_changes", path.rank_changes);
}
template <class Fields>
void describe(Fields& fields, WatchedRanks& watched) {
  fields("iterations", watched.iterations);
  fields.unless_empty("begin_ns", watched.begin_ns);
  fields.unless_empty("end_ns", watched.end_ns);
  fields("clock_error_s", watched.clock_error_s);
  fields("ranks", watched.ranks);
  fields("collectives", watched.collectives);
  fields("path", watched.path);
  fields.unless_empty("error", watched.error);
}

}  // namespace kjoule
