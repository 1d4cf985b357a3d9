#pragma once
#include <set>
#include <vector>

#include "play/device.hpp"

namespace kjoule {

/// A Sequence, and how its timed stretches become times of launches.
struct Pass {
  Sequence sequence;
  struct Term {
    LaunchIndex launch;
    double sign;
  };
  std::vector<Term> terms;  ///< of each segment

  /// Adds to seconds[launch] the mean over the repeats in `played`.
  void add_times(const std::vector<double>& played, std::vector<double>& seconds) const;
};

/// Passes that together time every launch of the iteration once, each in the context of its `window` real
/// predecessors (those of the iteration before where there are fewer). All play in the iteration's order, so
/// that caches are as in the whole (docs/method.md).
using Sweep = std::vector<Pass>;

/// For devices whose edges are clean: window + 1 passes, each the iteration itself, in which every
/// (window + 1)-th launch is timed after its predecessors were played untimed. No launch is played twice.
Sweep sweep_by_turns(size_t launches, int window, const std::set<LaunchIndex>& excluded);

/// For devices whose edges cost time: one pass that visits each launch twice, T(predecessors) and then
/// T(predecessors + launch); their difference is taken, so that what an edge costs falls out.
Sweep sweep_by_differences(size_t launches, int window, const std::set<LaunchIndex>& excluded);

/// The pass with the whole played and timed up to `times` times among its segments, evenly spread, so many
/// iterations in a stretch; the mean of one goes to seconds[launches]. Where power or heat sets the clock,
/// the launches and the whole then meet the same one. Each begins at the launch whose turn it is, and so
/// leaves the caches to it as they were.
Pass with_wholes_among(const Pass& pass, size_t launches, const std::set<LaunchIndex>& excluded,
                       int iterations, size_t times);

/// The pass with `lead` more real predecessors played, untimed, before each timed stretch.
Pass with_lead(Pass pass, size_t launches, const std::set<LaunchIndex>& excluded, size_t lead);

/// The iteration so many times in one timed stretch; many, where edges are not clean, so that theirs is
/// spread thin.
Sequence in_one_stretch(size_t launches, const std::set<LaunchIndex>& excluded, int iterations);

}  // namespace kjoule
