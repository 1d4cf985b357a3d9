#pragma once
#include <cstdint>
#include <optional>

#include "importers/launch_history.hpp"
#include "importers/repeated_ends.hpp"

namespace kjoule {

/// Minimum numbers of launches that a repetition must span before its period may be an iteration. They
/// exclude layers, micro-batches and the timing loops of autotuners, which also repeat;
/// repetition_finder_test.cpp contains examples of each.
struct RepetitionMinimum {
  /// Returns the minimum for a repetition in which nearly all arguments are equal each time.
  static uint64_t with_equal_arguments(uint64_t period);
  /// Returns the minimum for a repetition in which only the shape hashes repeat.
  static uint64_t with_other_arguments(uint64_t period);
};

/// Decides in small steps whether the last launches of a history are iterations of one length.
class PeriodScan {
 public:
  /// The most launches that may be added while a scan runs; a longer scan must be abandoned. start() ignores
  /// launches that may be overwritten within that time.
  static constexpr uint64_t kLongestScan = LaunchHistory::kCapacity / 4;

  explicit PeriodScan(uint64_t largest_window) : ends_(largest_window) {}

  /// Begins a scan of up to `window` launches that precede the next launch.
  void start(const LaunchHistory& history, uint64_t window);
  /// Continues the scan and subtracts from `steps`, each about a nanosecond. Returns true when the scan is
  /// complete.
  bool work(const LaunchHistory& history, int64_t& steps);
  /// Returns whether a candidate was found and is being examined.
  bool is_examining() const { return stage_ != Stage::list_ends && stage_ != Stage::over; }
  /// Returns the repetition whose period is the iteration, or no value if there is none. Valid after work()
  /// has returned true.
  std::optional<RepeatedEnd> result() const { return result_; }
  /// Returns the number of the launch that follows the scanned launches.
  uint64_t end() const { return end_; }

 private:
  enum class Stage { list_ends, sample, compare, sum_contents, look_back, over };
  /// The numbers of compared launches whose arguments are known, and of those with equal arguments.
  struct Agreement {
    uint64_t known = 0, equal = 0;
    bool at_least(double share) const {
      return known > 0 && static_cast<double>(equal) >= share * static_cast<double>(known);
    }
  };
  void consider(const RepeatedEnd& repeated);
  void next_candidate(const LaunchHistory& history, int64_t& steps);
  void sample(const LaunchHistory& history, int64_t& steps);
  void compare(const LaunchHistory& history, int64_t& steps);
  void judge();
  void begin_look_back(const RepeatedEnd& repeated);
  void sum_contents(const LaunchHistory& history, int64_t& steps);
  void look_back(const LaunchHistory& history, int64_t& steps);
  void count_agreement(const LaunchHistory& history, uint64_t number);
  bool primitive_is_the_iteration() const;

  RepeatedEnds ends_;
  Stage stage_ = Stage::over;
  uint64_t end_ = 0, oldest_ = 0;
  std::optional<RepeatedEnd> result_;

  RepeatedEnd candidate_;
  Agreement agreement_;
  uint64_t samples_ = 0, position_ = 0;
  bool long_enough_ = false;  ///< the candidate is long enough if its arguments repeat
  RepeatedEnd primitive_;     ///< the shortest period of all that span as many launches
  Agreement primitive_agreement_;
  bool longer_repeats_ = false;  ///< a multiple of it repeats in all arguments that were sampled

  /// The launches before the candidate that repeated with its lag and contents until the repetition
  /// broke.
  struct EarlierRepetitions {
    bool broke = false;  ///< the search has passed the beginning of the candidate itself
    uint64_t matched = 0;
    uint64_t contents = 0;
    bool same_contents = false;
    uint64_t longest = 0;  ///< launches of the longest such repetition
    uint64_t stop = 0;     ///< number of the oldest launch to examine
  } earlier_;
  /// Sum of the shape hashes of one period. It is independent of where in the repetition the period begins.
  uint64_t contents_ = 0;
};

}  // namespace kjoule
