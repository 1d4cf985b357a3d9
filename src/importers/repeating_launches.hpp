#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kjoule {

/// A launch of a whole trace: numbers of its signature and of its name, and its time by the host's clock.
struct LaunchMoment {
  uint32_t signature = 0, name = 0;
  int64_t host_ns = 0;
};

/// A period that repeats, and the longest part of the trace in which it does so without interruption.
struct RepeatedPeriod {
  size_t length = 0;    ///< launches of one repetition
  size_t launches = 0;  ///< launches of all repetitions in a row

  size_t times() const { return launches / length; }
};

/// The reason why a repetition may be one of layers, or of something else than iterations.
enum class RepetitionDoubt {
  none,
  no_pauses,      ///< the host does not pause before each repetition
  short_pauses,   ///< the pauses may be those between layers
  others_follow,  ///< other launches follow the last repetition, as the head of a network follows its layers
  too_little      ///< it fills too little of the trace, or repeats too seldom
};

/// The repetition in the launches of a trace: iterations of `length` launches that begin at the launches
/// `begins`, in ascending order and without overlap.
struct Repetition {
  size_t length = 0;
  std::vector<size_t> begins;
  size_t times() const { return begins.size(); }
  size_t covered() const { return begins.size() * length; }  ///< launches in all iterations

  /// Whether iterations are equal in names only: their grids or inputs differ, as in the steps of a decoder.
  bool by_name = false;
  RepetitionDoubt doubt = RepetitionDoubt::none;
  /// The distance between longer pauses of the host, in iterations; 0 if there are none. If it is not 0, the
  /// meaning of the repetition is ambiguous: the program may log or fetch data after every few iterations, or
  /// the repetition consists of layers and that many of them form an iteration.
  size_t longer_pause_every = 0;
  /// The period that fills most of the trace, of those that are not multiples of `length`.
  std::optional<RepeatedPeriod> next_best;

  bool is_iteration() const { return doubt == RepetitionDoubt::none && longer_pause_every == 0; }
};

/// Returns the repetition in the launches of a finished program, or no value.
///
/// Of all periods, the shortest that fills nearly as much of the trace in a row as the best one is used:
/// layers repeat within an iteration only. Signatures are compared first. If they establish no iteration,
/// names are compared, of which one tenth may differ. A repetition is an iteration if it occurs three times
/// or more, fills 80 % of the trace or more, and begins after a pause of the host. If no
/// smaller period repeats within it, as layers do, it may be a layer itself: then the pauses must be much
/// longer, and no other launches may follow the last repetition. Otherwise it must repeat far more often than
/// layers do.
std::optional<Repetition> find_repetition(const std::vector<LaunchMoment>& launches);

}  // namespace kjoule
