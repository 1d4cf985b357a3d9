#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kjoule {

/// A launch of a trace: the numbers of its signature and of its name, and its time on the host's clock.
struct LaunchMoment {
  uint32_t signature = 0, name = 0;
  int64_t host_ns = 0;
  std::optional<uint32_t> graph{};  ///< number of the call that launched it as a part of a CUDA graph
  bool is_kernel = true;            ///< false for copies and memsets
};

/// A period of launches, and the longest part of the trace in which it repeats without interruption.
struct RepeatedPeriod {
  size_t length = 0;    ///< number of launches in one repetition
  size_t launches = 0;  ///< number of launches in all consecutive repetitions

  size_t times() const { return launches / length; }
};

/// The reason why a repetition may not be an iteration, but a layer for example.
enum class RepetitionDoubt {
  none,
  no_pauses,      ///< the host does not pause before each repetition
  short_pauses,   ///< the host's pauses are as short as those between layers
  others_follow,  ///< other launches follow the last repetition, as the head of a network follows its layers
  graph_pieces,   ///< CUDA graphs are only parts of each repetition, as graphs of a network's layers are
  too_little      ///< the repetitions fill too little of the trace, or are too few
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
  /// Number of repetitions from one longer pause of the host to the next; 0 if there are no longer pauses. If
  /// it is not 0, a repetition may be an iteration (the program logs or fetches data after so many
  /// iterations) or a layer (an iteration has so many layers).
  size_t longer_pause_every = 0;
  /// The period that fills the most launches without interruption, except for multiples of `length`.
  std::optional<RepeatedPeriod> next_best;

  bool is_iteration() const { return doubt == RepetitionDoubt::none && longer_pause_every == 0; }
};

/// Returns the repetition in the launches of a finished program, or no value.
///
/// Of all periods, the shortest one is used whose consecutive repetitions fill nearly as much of the trace as
/// those of the best period. (Layers repeat only within an iteration, so they fill less.) Signatures are
/// compared first. If they show no iteration, names are compared, of which one tenth may differ.
///
/// A repetition is an iteration if it occurs at least three times, fills at least 80 % of the trace, and
/// begins after a pause of the host. If no smaller period repeats within it, it may be a layer itself; then
/// the pauses must also be much longer, and no other launches may follow the last repetition. If kernels are
/// launched in CUDA graphs and also between them, the repetition may be a layer even then, because the host
/// pauses before each graph; so smaller periods must fill a quarter of it. These conditions do not apply to a
/// repetition that occurs far more often than layers do.
std::optional<Repetition> find_repetition(const std::vector<LaunchMoment>& launches);

}  // namespace kjoule
