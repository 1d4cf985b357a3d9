#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "importers/launch_history.hpp"

namespace kjoule {

/// A repetition at the end of a history: the last `matched` launches have the shape hashes of the launches
/// `lag` positions earlier.
struct RepeatedEnd {
  uint64_t lag = 0;
  uint64_t matched = 0;

  /// Returns the number of launches that repeat with period `lag`.
  uint64_t launches() const { return lag + matched; }
  /// Returns the number of whole repetitions among these launches.
  uint64_t repeats() const { return lag == 0 ? 0 : launches() / lag; }
};

/// Finds every lag at which the end of a history repeats. Works in steps, so that the work can be spread over
/// many launches. Applies the Z algorithm (Gusfield) to the history read backwards: its time is linear in the
/// window, for all lags together.
class RepeatedEnds {
 public:
  /// `largest_window` is the largest window that may be passed to start(); memory is 2 bytes for each of its
  /// launches.
  explicit RepeatedEnds(uint64_t largest_window);
  /// Begins a search in the `window` launches that precede launch number `end`.
  void start(uint64_t end, uint64_t window);
  /// Returns the next lag, ascending up to half the window, that has repeated at least twice (matched >=
  /// lag). Subtracts from `steps`, each about a nanosecond. Returns no value when the steps are used up or
  /// the search is done.
  std::optional<RepeatedEnd> next(const LaunchHistory& history, int64_t& steps);
  bool done() const { return lag_ > window_ / 2; }

 private:
  bool extend(const LaunchHistory& history, int64_t& steps);

  std::unique_ptr<uint32_t[]> matched_;  ///< by lag: launches at the end that match
  uint64_t end_ = 0, window_ = 0;
  uint64_t lag_ = 1;
  uint64_t box_lag_ = 0, box_end_ = 0;  ///< lag and end of the match that reaches furthest back
  uint64_t length_ = 0;
  bool extending_ = false;
};

}  // namespace kjoule
