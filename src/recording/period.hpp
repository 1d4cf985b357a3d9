#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "recording/launch_history.hpp"
#include "recording/period_scan.hpp"

namespace kjoule {

/// Which launches make an iteration. Launches are numbered from 0 as the program issues them.
struct Period {
  uint64_t first = 0;  ///< an iteration begins with this launch, and with every one that is `length` later
  size_t length = 0;   ///< launches

  bool operator==(const Period&) const = default;
};

/// What repeated most, for a message when no iteration was found.
struct BestGuess {
  size_t length = 0;      ///< launches that repeat; 0 when nothing did
  uint64_t repeats = 0;   ///< how often they came in a row, at least 2
  uint64_t launches = 0;  ///< that this row spans
  uint64_t first = 0;     ///< number of the row's first launch
  uint64_t seen = 0;      ///< launches of the program so far
};

/// Finds the iteration of a running program from its launches alone.
///
/// An iteration is what goes on repeating: at least 6 times in a row and for at least 600 launches when
/// nearly all arguments repeat too, several times longer when only what is launched repeats (layers do that
/// within an iteration). A repeating part that broke off before, as micro-batches do at each optimizer step,
/// must go on for two repetitions more than it did then. Iterations of up to 170,000 launches are found;
/// memory is at most 32 MiB, touched as the program goes on. Work is spread evenly over the launches: no call
/// costs more than a few microseconds. Not thread-safe.
class PeriodFinder {
 public:
  PeriodFinder();

  /// Every launch, as it is issued. `signature` hashes function, grid, block and shared bytes, or kind and
  /// size of a copy; `arguments` hashes the exact argument bytes, 0 when they are unknown; `time_ns` is the
  /// host's time.
  void add(uint64_t signature, uint64_t arguments, int64_t time_ns) {
    history_.add(signature, arguments, time_ns);
    if (history_.count() % kBatch == 0 && !found_) work();
  }
  /// The iteration, once it is established. Then `first` lies ahead: it is the first iteration that can still
  /// be watched from its beginning. Of all launches of the period it is the one before which the host pauses
  /// longest (median over the last repetitions), since programs wait for the device between iterations.
  const std::optional<Period>& found() const { return found_; }
  /// The iteration found was not one (it did not repeat when it was recorded): look on, from the next launch.
  void reject();
  /// Takes some milliseconds.
  BestGuess best_guess() const;
  uint64_t launches() const { return history_.count(); }

 private:
  static constexpr uint64_t kBatch = 32;  ///< launches between two rounds of work
  static constexpr unsigned kSmallestWindow = 10, kLargestWindow = 20;  ///< powers of 2, launches

  /// Looks at the last `window` launches every `window / 2`.
  struct Level {
    uint64_t window;
    PeriodScan scan;
    bool running = false;
  };
  /// A period that was established: the beginning of its iterations is still to be chosen.
  struct Settling {
    Run run;
    uint64_t end;        ///< number of the launch before which the run was seen
    uint64_t checked;    ///< the run goes on up to this launch
    uint64_t phase = 0;  ///< launches of the period whose pauses were looked at
    uint64_t best = 0;
    uint32_t longest_pause_ns = 0;
    uint64_t begin() const { return end - run.launches(); }
  };
  void work();
  void work_on(Level& level);
  void settle();
  uint32_t median_pause_ns(uint64_t phase) const;
  bool repeats(uint64_t number) const {
    return history_.signature(number) == history_.signature(number - settling_->run.lag);
  }
  void remember(const Run& run, uint64_t end);

  LaunchHistory history_;
  std::vector<Level> levels_;
  std::optional<Settling> settling_;
  std::optional<Period> found_;
  Run best_;
  uint64_t best_end_ = 0;
};

}  // namespace kjoule
