#include "cuda/ranks/resting_place.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "cuda/ranks/apart.hpp"
#include "cuda/ranks/pending_idle.hpp"

namespace kjoule::cuda {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kStep = std::chrono::milliseconds(1);
/// A round of iterations begins when no rank has moved for this time and for two iterations.
constexpr auto kLeastStandstill = std::chrono::milliseconds(300);
/// Largest number of rounds. Stages of a pipeline differ by a few iterations. Ranks that need more rounds are
/// not waiting for each other's messages.
constexpr uint32_t kMostRounds = 16;

/// Detects that no rank on a board moves.
class Standstill {
 public:
  explicit Standstill(const RankBoard& board)
      : board_(board),
        limit_(std::max<Clock::duration>(kLeastStandstill,
                                         2 * std::chrono::nanoseconds(board.cut().iteration_ns))) {}
  /// Returns whether no rank has moved for the limit. If so, the limit begins anew.
  bool is_reached() {
    const uint64_t steps = board_.steps();
    const auto now = Clock::now();
    if (steps != steps_) since_ = now;
    steps_ = steps;
    if (now - since_ < limit_) return false;
    since_ = now;
    return true;
  }

 private:
  const RankBoard& board_;
  Clock::duration limit_;
  uint64_t steps_ = 0;
  Clock::time_point since_ = Clock::now();
};

}  // namespace

void come_to_rest(RankBoard& board, uint32_t rank, const std::function<void()>& pass_iteration) {
  std::optional<PendingIdle> idle(std::in_place);
  bool rests = false;
  Standstill standstill(board);
  for (uint32_t round = board.rounds(); !board.all_rest();) {
    throw_if_given_up(board);
    if (rests) {
      std::this_thread::sleep_for(kStep);
    } else if (idle->wait_for(kStep)) {
      round = board.rounds();
      board.rest(rank, round);
      rests = true;
    }
    if (rests && board.has_begun_after(round)) {
      pass_iteration();
      idle.emplace();
      rests = false;
    }
    if (!standstill.is_reached()) continue;
    if (round >= kMostRounds)
      throw_apart(board, "their GPUs did not become idle where an iteration of each rank begins");
    if (rests) board.begin_round(round);
  }
}

}  // namespace kjoule::cuda
