#pragma once
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "measure/stamped_graph.hpp"

namespace kjoule {

/// Readings of a clock that may be read between launches without changing what they take (a CPU's).
struct ClockedLaunches {
  static constexpr const char* kType = "clocked";

  std::vector<double> whole_s;   ///< each run of the program's own iteration
  std::vector<double> played_s;  ///< each run of the recorded launches in one segment; often not measured
  std::vector<double> launch_s;  ///< each launch of the iteration, mean over the round; 0 for excluded ones
};

/// Distances between stamps in the unbroken iteration (a GPU's).
struct StampedLaunches {
  static constexpr const char* kType = "stamped";

  uint32_t launches = 0;             ///< that are played in an iteration
  uint32_t iterations = 1;           ///< between the first and the last stamp of each graph
  std::vector<StampedGraph> dense;   ///< with a stamp after every few launches: what each launch takes
  std::vector<StampedGraph> sparse;  ///< with few stamps: what stamps nearby change (StampEffect)
  std::vector<StampedGraph> wholes;  ///< with a stamp at either end only, for the whole
  /// Mean clock of the device's processors over the plays of the wholes and of the other graphs, where it is
  /// known.
  std::optional<double> whole_clock_hz, sum_clock_hz;
};

/// One complete round of measurements of the whole and of every launch. The unit of resuming: what a Round
/// holds is never measured again.
struct Round {
  static constexpr const char* kKind = "round";

  int number = 0;
  std::variant<ClockedLaunches, StampedLaunches> times;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int64_t spent_ns = 0;  ///< measuring time of this and all earlier rounds
};

template <class Fields>
void describe(Fields& fields, ClockedLaunches& times) {
  fields("whole_s", times.whole_s);
  fields("played_s", times.played_s);
  fields("launch_s", times.launch_s);
}
template <class Fields>
void describe(Fields& fields, StampedLaunches& times) {
  fields("launches", times.launches);
  fields("iterations", times.iterations);
  fields("dense", times.dense);
  fields("sparse", times.sparse);
  fields("wholes", times.wholes);
  fields("whole_clock_hz", times.whole_clock_hz);
  fields("sum_clock_hz", times.sum_clock_hz);
}
template <class Fields>
void describe(Fields& fields, Round& round) {
  fields("round", round.number);
  fields.one_of("times", round.times);
  fields("begin_ns", round.begin_ns);
  fields("end_ns", round.end_ns);
  fields("spent_ns", round.spent_ns);
}

}  // namespace kjoule
