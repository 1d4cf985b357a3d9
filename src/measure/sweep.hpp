#pragma once
#include <set>
#include <vector>

#include "play/device.hpp"

namespace kjoule {

/// A Sequence that visits every launch of the iteration in order, each after its `window` real predecessors
/// (those of the iteration before where there are fewer), and how its segments become times per launch.
///
/// Where edges are clean the predecessors lead and the launch alone is timed. Elsewhere each launch is
/// visited twice, T(predecessors) and then T(predecessors + launch), and their difference is taken, so that
/// what an edge costs falls out.
///
/// Visiting in order keeps caches as they are in the whole: between two uses of the same bytes, a sweep
/// touches exactly the bytes that the iteration touches between them (docs/method.md), whatever the window.
class Sweep {
 public:
  Sweep(size_t launches, int window, bool clean_edges, const std::set<LaunchIndex>& excluded);
  const Sequence& sequence() const { return sequence_; }
  /// Mean seconds of each launch over the repeats in `played`; 0 for excluded ones.
  std::vector<double> per_launch(const std::vector<double>& played) const;

 private:
  void visit(LaunchIndex launch, const std::vector<LaunchIndex>& before, bool clean_edges);

  size_t launches_;
  Sequence sequence_;
  struct Term {
    LaunchIndex launch;
    double sign;
  };
  std::vector<Term> terms_;  ///< for each segment
};

/// The iteration so many times in one timed stretch; many, where edges are not clean, so that theirs is
/// spread thin.
Sequence in_one_stretch(size_t launches, const std::set<LaunchIndex>& excluded, int iterations);

}  // namespace kjoule
