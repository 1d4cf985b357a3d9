#pragma once
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "recording/launch_identity.hpp"
#include "recording/recording.hpp"

namespace kjoule {

/// One launch of a PhasePattern. A launch of another start of the program matches this one if the hash
/// selected by `by_name` is equal.
struct ExpectedLaunch {
  uint64_t identity_hash = 0;  ///< LaunchIdentity::name_hash if by_name, otherwise LaunchIdentity::exact_hash
  bool by_name = false;        ///< true if the launch's grid differs from iteration to iteration
  uint32_t launches = 1;       ///< number of nodes if the launch is a graph; otherwise 1
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

/// The pattern by which the launches to measure for a phase are found in another start of the program. These
/// are an iteration of a loop, or a single pass. A graph counts as one launch.
struct PhasePattern {
  uint32_t number = 0;                    ///< rank of the phase by GPU time, from 1 (longest)
  std::vector<ExpectedLaunch> before;     ///< the launches directly before the iteration
  std::vector<ExpectedLaunch> iteration;  ///< the launches to measure, lead and tail included
  /// Number of earlier positions in the run that may_begin() accepts as well, because the same launches
  /// precede them and the first launch is the same. These positions are skipped.
  uint64_t occurrence = 0;
  /// Numbers of launches at the begin (`lead`) and at the end (`tail`) of `iteration` that are not measured;
  /// 0 for an iteration of a loop. In another start, the launches of the tail may differ from those in
  /// `iteration`.
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
  /// Returns whether the program's last launches match `launches`, in order.
  bool ends_with(std::span<const ExpectedLaunch> launches) const;

 private:
  std::deque<LaunchIdentity> launches_;
};

/// Returns whether PhasePattern::iteration may begin with the launch `next`: `next` matches its first
/// element, and `last`, the launches before `next`, end with PhasePattern::before.
bool may_begin(const PhasePattern& phase, const LaunchIdentity& next, const LastLaunches& last);

}  // namespace kjoule
