#pragma once
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "measure/time/stamped_graph.hpp"

namespace kjoule {

/// Times of one round on a device whose clock can be read between launches without changing their times (a
/// CPU).
struct ClockedLaunches {
  static constexpr const char* kType = "clocked";

  std::vector<double> whole_s;  ///< each run of the recorded launches in one segment
  /// Each run of the program's own iteration; measured in some rounds only, and only if the program can be
  /// run again.
  std::vector<double> own_iteration_s;
  std::vector<double> launch_s;  ///< mean time of each launch in the round; 0 for excluded launches
};

/// Distances between stamps in the unbroken iteration, in one round on a device that is timed by stamps (a
/// GPU).
struct StampedLaunches {
  static constexpr const char* kType = "stamped";

  uint32_t launches = 0;            ///< number of launches that are replayed in one iteration
  uint32_t iterations = 1;          ///< iterations between the two stamps of a whole
  std::vector<StampedGraph> dense;  ///< stamps 1 to 4 launches apart: the times of launches
  /// Stamps 1 to 64 launches apart: the effect of nearby stamps (StampEffect).
  std::vector<StampedGraph> sparse;
  std::vector<StampedGraph> wholes;  ///< stamps at both ends only: the whole
  /// Mean clock of the device's processors over the replays of the wholes, and of the other graphs; not
  /// available if the device does not report it.
  std::optional<double> whole_clock_hz, sum_clock_hz;
};

/// One complete round of measurements of the whole and of every launch. A round is the unit of resuming: a
/// completed one is never measured again.
struct Round {
  static constexpr const char* kKind = "round";

  int number = 0;
  std::variant<ClockedLaunches, StampedLaunches> times;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int64_t spent_ns = 0;  ///< measuring time of this round and all earlier ones
};

template <class Fields>
void describe(Fields& fields, ClockedLaunches& times) {
  fields("whole_s", times.whole_s);
  fields("own_iteration_s", times.own_iteration_s);
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
