#pragma once
#include <array>
#include <chrono>
#include <optional>

#include "cuda/session/rank_position.hpp"

namespace kjoule::cuda {

/// Announces a loop that this rank has found to the other ranks, and decides when one of its iterations may
/// be recorded. All ranks must record the same iteration. Therefore the announced iteration is one of the
/// leading rank that begins at a position which no rank has reached yet. If the ranks have different numbers
/// of collectives per iteration, each rank may record any iteration of its loop.
class LeaderCut {
 public:
  /// `ranks` is the number of ranks on this machine, if the program's launcher states it.
  LeaderCut(RankPosition& position, std::optional<uint32_t> ranks) : position_(position), ranks_(ranks) {}

  /// Registers that an iteration begins with the next launch, at this host time.
  void begin_iteration(int64_t time_ns);
  /// Returns how many further iterations must pass before one may be recorded. 0 means that the iteration
  /// that begins with the next launch may be recorded. Call it after begin_iteration().
  int still_to_pass();
  /// Announces the next iteration for recording, instead of the announced one.
  void expect_next() {
    if (announced_) announced_->collectives += *period_;
  }
  /// Registers that the loop in which iterations began has ended.
  void forget_loop();
  /// Returns whether several ranks record the iteration.
  bool is_shared() const { return announced_.has_value(); }

 private:
  /// Returns whether all other ranks have launched work. Also returns true if the leader has waited too long
  /// for this.
  bool are_ranks_complete();
  /// Returns whether the other ranks have found their loops. Also returns true if the leader has waited too
  /// long for this.
  bool are_loops_found();
  /// Returns whether the loops of the other ranks have as many collectives as this one, or enough iterations
  /// have passed to compare their numbers of iterations.
  bool are_loops_comparable() const;
  /// Returns whether each rank must record an iteration of its own loop, because the ranks have different
  /// numbers of collectives per iteration, or have not counted them from the same launch.
  bool have_own_collectives() const;
  /// Announces the iteration, and returns how many iterations must pass before it.
  int announce(bool is_of_own_loops);

  RankPosition& position_;
  std::optional<uint32_t> ranks_;
  std::optional<RankPlace> last_;   ///< where the last iteration began
  std::optional<uint64_t> period_;  ///< collectives of the previous iteration
  int64_t loop_begin_ns_ = 0;
  std::array<uint64_t, kMostRanks> at_loop_begin_{};  ///< collectives of each rank at that time
  int64_t iterations_ = 0;                            ///< iterations since the loop began
  int64_t iteration_ns_ = 0;                          ///< mean time of these iterations in ns
  std::optional<RankPlace> announced_;
  std::optional<std::chrono::steady_clock::time_point> waits_since_, waits_for_loops_since_;
};

}  // namespace kjoule::cuda
