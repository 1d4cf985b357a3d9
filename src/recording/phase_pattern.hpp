#pragma once
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "recording/launch_identity.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// One launch of a PhasePattern. A launch of another start of the program matches it by one of its two
/// hashes.
struct ExpectedLaunch {
  uint64_t identity_hash = 0;  ///< LaunchIdentity::exact_hash, or name_hash if by_name
  bool by_name = false;        ///< whether its grid differs from iteration to iteration
  uint32_t launches = 1;       ///< the number of nodes of a graph
  bool matches(const LaunchIdentity& launch) const {
    return identity_hash == (by_name ? launch.name_hash : launch.exact_hash);
  }
  bool operator==(const ExpectedLaunch&) const = default;
};
template <class Fields>
void describe(Fields& fields, ExpectedLaunch& launch) {
  fields("hash", launch.identity_hash);
  fields("by_name", launch.by_name);
  fields("launches", launch.launches);
}

/// How the iteration of a phase that is measured is found again in another start of the program. A graph is
/// one launch.
struct PhasePattern {
  uint32_t number = 0;                    ///< in the order of GPU time, from 1
  std::vector<ExpectedLaunch> before;     ///< the launches directly before the iteration
  std::vector<ExpectedLaunch> iteration;  ///< its launches, lead and tail included
  /// The launches before the iteration's first one that match as it does: `before` and the first of
  /// `iteration`.
  uint64_t occurrence = 0;
  /// How many of the first and the last launches of `iteration` are not measured: the lead and the tail of a
  /// single pass, which is no iteration. The program may make other launches instead of the tail's.
  uint32_t lead = 0, tail = 0;
  bool operator==(const PhasePattern&) const = default;
};
template <class Fields>
void describe(Fields& fields, PhasePattern& phase) {
  fields("number", phase.number);
  fields("before", phase.before);
  fields("iteration", phase.iteration);
  fields("occurrence", phase.occurrence);
  fields("lead", phase.lead);
  fields("tail", phase.tail);
}

/// The launches that a program has made last.
class LastLaunches {
 public:
  static constexpr size_t kMost = 64;
  void add(const LaunchIdentity& launch);
  /// Returns whether these launches are the last ones.
  bool ends_with(std::span<const ExpectedLaunch> launches) const;

 private:
  std::deque<LaunchIdentity> launches_;
};

/// Returns whether the iteration of a phase may begin with `next`, after the launches of `last`.
bool may_begin(const PhasePattern& phase, const LaunchIdentity& next, const LastLaunches& last);

}  // namespace kjoule
