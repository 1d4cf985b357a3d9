#pragma once
#include <cstdint>
#include <optional>

#include "recording/launch_history.hpp"
#include "recording/suffix_runs.hpp"

namespace kjoule {

/// Minimum numbers of launches that a run must span before its period may be an iteration. They exclude
/// layers, micro-batches and the timing loops of autotuners, which also repeat; period_test.cpp contains
/// examples of each.
struct RunMinimum {
  /// Returns the minimum for a run in which nearly all arguments are equal from one repetition to the next.
  static uint64_t with_equal_arguments(uint64_t period);
  /// Returns the minimum for a run in which only the signatures repeat.
  static uint64_t with_other_arguments(uint64_t period);
};

/// Decides in small steps whether the last launches of a history are iterations of one length.
class PeriodScan {
 public:
  /// The most launches that may be added while a scan runs; a longer scan must be abandoned. start() ignores
  /// launches that may be overwritten within that time.
  static constexpr uint64_t kLongestScan = LaunchHistory::kCapacity / 4;

  explicit PeriodScan(uint64_t largest_window) : runs_(largest_window) {}

  /// Begins a scan of up to `window` launches that precede the next launch.
  void start(const LaunchHistory& history, uint64_t window);
  /// Continues the scan and subtracts from `steps`, each about a nanosecond. Returns true when the scan is
  /// complete.
  bool work(const LaunchHistory& history, int64_t& steps);
  /// Returns whether a candidate was found and is being examined.
  bool is_examining() const { return stage_ != Stage::runs && stage_ != Stage::over; }
  /// Returns the run whose period is the iteration, or no value if there is none. Valid after work() has
  /// returned true.
  std::optional<Run> result() const { return result_; }
  /// Returns the number of the launch that follows the scanned launches.
  uint64_t end() const { return end_; }
  /// Returns the best candidate so far by better_candidate(); its lag is 0 when nothing repeats.
  const Run& best() const { return best_; }

 private:
  enum class Stage { runs, sample, compare, sum_contents, look_back, over };
  /// The numbers of compared launches whose arguments are known, and of those with equal arguments.
  struct Agreement {
    uint64_t known = 0, equal = 0;
    bool at_least(double share) const {
      return known > 0 && static_cast<double>(equal) >= share * static_cast<double>(known);
    }
  };
  void consider(const Run& run);
  void next_candidate(const LaunchHistory& history, int64_t& steps);
  void sample(const LaunchHistory& history, int64_t& steps);
  void compare(const LaunchHistory& history, int64_t& steps);
  void judge();
  void begin_look_back(const Run& run);
  void sum_contents(const LaunchHistory& history, int64_t& steps);
  void look_back(const LaunchHistory& history, int64_t& steps);
  void count_agreement(const LaunchHistory& history, uint64_t number);
  bool primitive_is_the_iteration() const;

  SuffixRuns runs_;
  Stage stage_ = Stage::over;
  uint64_t end_ = 0, oldest_ = 0;
  std::optional<Run> result_;
  Run best_;

  Run candidate_;
  Agreement agreement_;
  uint64_t samples_ = 0, position_ = 0;
  bool long_enough_ = false;  ///< the candidate's run is long enough if its arguments repeat
  Run primitive_;             ///< the shortest period of all runs that span as many launches
  Agreement primitive_agreement_;
  bool longer_repeats_ = false;  ///< a multiple of it repeats in all arguments that were sampled

  /// The launches before the candidate's run that repeated with its lag and contents until the repetition
  /// broke.
  struct EarlierRuns {
    bool broke = false;  ///< the search has passed the beginning of the candidate's own run
    uint64_t matched = 0;
    uint64_t contents = 0;
    bool same_contents = false;
    uint64_t longest = 0;  ///< launches of the longest such run
    uint64_t stop = 0;     ///< number of the oldest launch to examine
  } earlier_;
  /// Sum of the signatures of one period. It is independent of where in the run the period begins.
  uint64_t contents_ = 0;
};

/// Returns whether `a` is a better candidate for a message than `b`. Runs that span more launches are better;
/// periods of less than 16 launches count less, because they are mostly loops of initialisation.
bool better_candidate(const Run& a, const Run& b);

}  // namespace kjoule
