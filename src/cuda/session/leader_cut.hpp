#pragma once
#include <array>
#include <chrono>
#include <optional>

#include "cuda/session/rank_position.hpp"

namespace kjoule::cuda {

/// Tells the other ranks of a loop that this rank has found, and decides when an iteration of it may be
/// recorded: that of the leading rank at a place that all ranks still have to come to, so that all record the
/// same one. Where the ranks have different numbers of collectives, that is any iteration.
class LeaderCut {
 public:
  /// `ranks` is the number of ranks on this machine, if the program's launcher says so.
  LeaderCut(RankPosition& position, std::optional<uint32_t> ranks) : position_(position), ranks_(ranks) {}

  /// Takes note that an iteration begins with the next launch, at this host time.
  void begin_iteration(int64_t time_ns);
  /// Returns how many further iterations have to pass before the one that begins with the next launch may be
  /// recorded; 0: this one. Call it after begin_iteration().
  int still_to_pass();
  /// Takes note that the iteration after the announced one is recorded instead.
  void expect_next() {
    if (announced_) announced_->collectives += *period_;
  }
  /// Takes note that the loop has ended, in which iterations began.
  void forget_loop();
  /// Returns whether the iteration is recorded by several ranks.
  bool is_shared() const { return announced_.has_value(); }

 private:
  /// Returns whether the other ranks have come, or do not come any more.
  bool are_ranks_complete();
  /// Returns whether the other ranks have found their loops, or nobody waits for them any more.
  bool are_loops_found();
  /// Returns whether each rank has to record an iteration of its own loop: other numbers of collectives
  /// belong to an iteration of the leader.
  bool have_own_collectives() const;
  /// Announces the iteration, and returns how many have to pass before it.
  int announce(bool is_of_own_loops);

  RankPosition& position_;
  std::optional<uint32_t> ranks_;
  std::optional<RankPlace> last_;   ///< where the last iteration began
  std::optional<uint64_t> period_;  ///< collectives of the iteration before
  int64_t loop_begin_ns_ = 0;
  std::array<uint64_t, kMostRanks> at_loop_begin_{};  ///< collectives that each rank had launched
  int64_t iterations_ = 0;                            ///< since then
  int64_t iteration_ns_ = 0;                          ///< mean time of these
  std::optional<RankPlace> announced_;
  std::optional<std::chrono::steady_clock::time_point> waits_since_, waits_for_loops_since_;
};

}  // namespace kjoule::cuda
