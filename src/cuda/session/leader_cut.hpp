#pragma once
#include <chrono>
#include <optional>

#include "cuda/session/rank_position.hpp"

namespace kjoule::cuda {

/// Decides when the iteration of the leading rank may be recorded: at a place that all ranks still have to
/// come to, so that all record the same one.
class LeaderCut {
 public:
  /// `ranks` is the number of ranks on this machine, if the program's launcher says so.
  LeaderCut(RankPosition& position, std::optional<uint32_t> ranks) : position_(position), ranks_(ranks) {}

  /// Takes note that an iteration begins with the next launch.
  void begin_iteration();
  /// Returns how many further iterations have to pass before the one that begins with the next launch may be
  /// recorded; 0: this one. Call it after begin_iteration().
  int still_to_pass();
  /// Takes note that the iteration after the announced one is recorded instead.
  void expect_next() {
    if (announced_) announced_->collectives += *period_;
  }
  /// Takes note that the loop has ended, in which iterations began.
  void forget_loop() { last_.reset(), period_.reset(); }
  /// Returns whether the iteration is recorded by several ranks.
  bool is_shared() const { return announced_.has_value(); }

 private:
  /// Returns whether the other ranks have come, or do not come any more.
  bool are_ranks_complete();

  RankPosition& position_;
  std::optional<uint32_t> ranks_;
  std::optional<RankPlace> last_;   ///< where the last iteration began
  std::optional<uint64_t> period_;  ///< collectives of the iteration before
  std::optional<RankPlace> announced_;
  std::optional<std::chrono::steady_clock::time_point> waits_since_;  ///< for other ranks
};

}  // namespace kjoule::cuda
