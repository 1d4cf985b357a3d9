#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "importers/launch_history.hpp"
#include "importers/period_scan.hpp"
#include "recording/iteration_position.hpp"

namespace kjoule {

/// Finds the iteration in a sequence of launches whose memory is not known, as in a trace, from their
/// signatures alone. Where the memory is known, recording/run_structure knows more.
///
/// RepeatedEnds lists every length with which the last launches repeat, a RepeatedEnd for each. PeriodScan
/// decides whether one of these lengths is that of the iteration. RepetitionFinder starts the scans and
/// chooses where the iteration begins.
///
/// An iteration is a sequence of launches that keeps repeating: at least 6 times in a row and for at least
/// 600 launches (4000 if it has up to 4 launches) when nearly all arguments repeat too, and several times
/// longer when only the shape hashes repeat, because layers within an iteration do that. A sequence whose
/// repetition ended before, as micro-batches do at each optimizer step, must repeat two times more than it
/// did then.
///
/// The finder finds iterations of up to 170,000 launches. It uses at most 32 MiB, touched as the program
/// proceeds. Its work is spread evenly over the launches: no call to add() takes more than a few
/// microseconds. Not thread-safe.
class RepetitionFinder {
 public:
  RepetitionFinder();

  /// Adds a launch; call it for every launch as it is issued. `shape_hash` is a hash of function, grid, block
  /// and shared bytes, or of the size of a copy. `arguments` is a hash of the exact argument bytes, 0
  /// when unknown. `time_ns` is the host's time.
  void add(uint64_t shape_hash, uint64_t arguments, int64_t time_ns) {
    history_.add(shape_hash, arguments, time_ns);
    if (history_.count() % kBatch == 0 && !found_) work();
  }
  /// Returns the iteration once it is established. Its `first` is the first launch of the next
  /// iteration, which can still be observed completely. The iteration begins at the launch of the
  /// period before which the host pauses longest (median over the last repetitions), because programs wait
  /// for the device between iterations.
  const std::optional<IterationPosition>& found() const { return found_; }
  uint64_t launches() const { return history_.count(); }

 private:
  static constexpr uint64_t kBatch = 32;  ///< launches between two steps of the search
  /// Exponents of 2 of the smallest and largest window, in launches.
  static constexpr unsigned kSmallestWindow = 10, kLargestWindow = 20;

  /// A scan of the last `window` launches, started every `window / 2` launches.
  struct Level {
    uint64_t window;
    PeriodScan scan;
    bool running = false;
  };
  /// A repetition that was established as the iteration, while the beginning of its iterations is being
  /// chosen.
  struct PendingIteration {
    RepeatedEnd repeated;
    uint64_t end;        ///< number of the launch that follows it
    uint64_t checked;    ///< number of the first launch whose repetition was not yet checked
    uint64_t phase = 0;  ///< launches of the period whose pauses were examined so far
    uint64_t best = 0;   ///< place in the period of the longest pause so far
    uint32_t longest_pause_ns = 0;
    uint64_t begin() const { return end - repeated.launches(); }
  };
  void work();
  void work_on(Level& level);
  void choose_begin();
  /// Returns the median of the host's last pauses before launch number `phase` of the period, in ns.
  uint32_t median_pause_ns(uint64_t phase) const;
  /// Returns whether a launch has the shape hash of the launch one period earlier.
  bool repeats(uint64_t number) const {
    return history_.shape_hash(number) == history_.shape_hash(number - pending_->repeated.lag);
  }

  LaunchHistory history_;
  std::vector<Level> levels_;
  std::optional<PendingIteration> pending_;
  std::optional<IterationPosition> found_;
};

}  // namespace kjoule
