#pragma once
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "measure/time/stamped_graph.hpp"

namespace kjoule {

/// Times of one round on a device whose clock can be read between launches without changing their times
/// (CPU).
struct ClockedLaunches {
  static constexpr const char* kType = "clocked";

  std::vector<double> whole_s;  ///< times of the runs of the recorded launches in one segment
  /// Times of the runs of the program's own iteration; only measured in some rounds, and only if the program
  /// can be run again.
  std::vector<double> own_iteration_s;
  std::vector<double> launch_s;  ///< mean time of each launch in the round; 0 for excluded launches
};

/// Times of one round on a device that is timed by stamps (GPU): distances between stamps in the unbroken
/// iteration.
struct StampedLaunches {
  static constexpr const char* kType = "stamped";

  uint32_t launches = 0;            ///< number of launches that are replayed in one iteration
  uint32_t iterations = 1;          ///< number of iterations between the two stamps of a whole
  std::vector<StampedGraph> dense;  ///< stamps 1 to 4 launches apart, for the times of launches
  /// Stamps 1 to 64 launches apart, for the effect of stamps on launches (StampEffect).
  std::vector<StampedGraph> sparse;
  std::vector<StampedGraph> wholes;  ///< stamps at both ends only, for the time of the whole
  /// Mean clock of the device's processors during the replays of `wholes`, and during the replays of `dense`
  /// and `sparse`; not available if the device does not report its clock.
  std::optional<double> whole_clock_hz, sum_clock_hz;
};

/// One complete round of measurements of the whole and of every launch. A resumed run never repeats a
/// complete round.
struct Round {
  static constexpr const char* kKind = "round";

  int number = 0;
  std::variant<ClockedLaunches, StampedLaunches> times;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int64_t spent_ns = 0;  ///< measuring time of this round and all earlier rounds together
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
