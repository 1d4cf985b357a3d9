#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "recording/launch_history.hpp"

namespace kjoule {

/// The last `matched` launches have the signatures of those `lag` launches earlier.
struct Run {
  uint64_t lag = 0;
  uint64_t matched = 0;

  /// Launches that repeat with this period.
  uint64_t launches() const { return lag + matched; }
  /// Whole repetitions among them.
  uint64_t repeats() const { return lag == 0 ? 0 : launches() / lag; }
};

/// Finds every lag at which the end of a history repeats, in steps, so that the work can be spread over many
/// launches. (The Z algorithm on the history read backwards: linear in the window, for all lags together.)
class SuffixRuns {
 public:
  /// `largest_window` bounds the windows of all later starts; memory is 2 bytes per launch of it.
  explicit SuffixRuns(uint64_t largest_window);
  /// Begins on the `window` launches before number `end`.
  void start(uint64_t end, uint64_t window);
  /// The next lag, ascending up to half the window, that has repeated at least twice (matched >= lag). Takes
  /// from `steps`, about a nanosecond each; nothing when they are used up or when all is done.
  std::optional<Run> next(const LaunchHistory& history, int64_t& steps);
  bool done() const { return lag_ > window_ / 2; }

 private:
  bool extend(const LaunchHistory& history, int64_t& steps);

  std::unique_ptr<uint32_t[]> matched_;  ///< by lag
  uint64_t end_ = 0, window_ = 0;
  uint64_t lag_ = 1;
  uint64_t box_lag_ = 0, box_end_ = 0;  ///< the run that reaches furthest back
  uint64_t length_ = 0;
  bool extending_ = false;
};

}  // namespace kjoule
