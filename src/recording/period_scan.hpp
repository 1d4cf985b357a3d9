#pragma once
#include <cstdint>
#include <optional>

#include "recording/launch_history.hpp"
#include "recording/suffix_runs.hpp"

namespace kjoule {

/// Launches that a run must span before its period may be an iteration. Layers, micro-batches and the timing
/// loops of autotuners repeat too; what these numbers exclude is written beside the tests.
struct RunNeeded {
  /// With nearly all arguments equal from one repetition to the next.
  static uint64_t with_equal_arguments(uint64_t period);
  /// When only the signatures repeat.
  static uint64_t with_other_arguments(uint64_t period);
};

/// Decides in steps whether the last launches of a history are iterations of one length.
class PeriodScan {
 public:
  /// A scan that takes longer, in launches added meanwhile, must be given up: start() looks no further back
  /// than what is kept until then.
  static constexpr uint64_t kLongestScan = LaunchHistory::kCapacity / 4;

  explicit PeriodScan(uint64_t largest_window) : runs_(largest_window) {}

  /// Looks at up to `window` launches before now.
  void start(const LaunchHistory& history, uint64_t window);
  /// Takes from `steps`, about a nanosecond each. True when the scan is over.
  bool work(const LaunchHistory& history, int64_t& steps);
  /// It has a candidate and weighs it.
  bool weighs() const { return stage_ != Stage::runs && stage_ != Stage::over; }
  /// After work() said true: the period that holds now; nothing when there is none.
  std::optional<Run> result() const { return result_; }
  /// Number of the launch before which it looked.
  uint64_t end() const { return end_; }
  /// The run seen so far that a person would call the best candidate; its lag is 0 when nothing repeats.
  const Run& best() const { return best_; }

 private:
  enum class Stage { runs, sample, compare, sum_contents, look_back, over };
  /// How many of the launches that were compared have equal arguments.
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
  bool long_enough_ = false;  ///< the candidate is, if its arguments repeat
  Run primitive_;             ///< the shortest run of all that span as many launches
  Agreement primitive_agreement_;
  bool longer_repeats_ = false;  ///< a multiple of it repeats in all arguments that were looked at

  /// The stretch before the candidate's run that repeated with its lag and contents, and broke.
  struct Earlier {
    bool broke = false;  ///< the candidate's own run is left behind
    uint64_t matched = 0;
    uint64_t contents = 0;
    bool same_contents = false;
    uint64_t longest = 0;  ///< launches
    uint64_t stop = 0;     ///< number of the last launch to look at
  } earlier_;
  /// Sum of one period's signatures: the same wherever in the run the period begins.
  uint64_t contents_ = 0;
};

/// A candidate is better for a message when its run spans more launches; periods of a few launches are mostly
/// loops of initialisation and count less.
bool better_candidate(const Run& a, const Run& b);

}  // namespace kjoule
