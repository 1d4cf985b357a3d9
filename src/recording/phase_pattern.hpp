#pragma once
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "recording/launch_identity.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// One launch of a PhasePattern. A launch in another start of the program matches it if one of the launch's
/// two hashes (LaunchIdentity) is equal.
struct ExpectedLaunch {
  uint64_t identity_hash = 0;  ///< LaunchIdentity::name_hash if by_name, otherwise LaunchIdentity::exact_hash
  bool by_name = false;        ///< true if its grid differs from iteration to iteration
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

/// The pattern by which the measured iteration of a phase is found in another start of the program. A graph
/// counts as one launch.
struct PhasePattern {
  uint32_t number = 0;                    ///< the phase's number in the order of GPU time, from 1
  std::vector<ExpectedLaunch> before;     ///< the launches directly before the iteration
  std::vector<ExpectedLaunch> iteration;  ///< its launches, lead and tail included
  /// Number of earlier positions in the run that may_begin() accepts, too: they follow launches as in
  /// `before`, and match the first element of `iteration`.
  uint64_t occurrence = 0;
  /// Numbers of launches at the begin and at the end of `iteration` that are not measured: the lead and the
  /// tail of a single pass. The program may make other launches instead of those of the tail.
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

/// The last kMost launches of a program.
class LastLaunches {
 public:
  static constexpr size_t kMost = 64;
  void add(const LaunchIdentity& launch);
  /// Returns whether these launches are the last ones.
  bool ends_with(std::span<const ExpectedLaunch> launches) const;

 private:
  std::deque<LaunchIdentity> launches_;
};

/// Returns whether the measured iteration of a phase may begin with the launch `next`, where `last` are the
/// launches before it.
bool may_begin(const PhasePattern& phase, const LaunchIdentity& next, const LastLaunches& last);

}  // namespace kjoule
