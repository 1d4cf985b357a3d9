#include "cuda/session/leader_cut.hpp"

#include <algorithm>

namespace kjoule::cuda {

namespace {

/// Iterations from the announcement to the one that is recorded: the ranks must have time to see it.
constexpr uint64_t kAhead = 3;
/// Longest time that the leader waits for ranks of which the launcher has told, and for others: those have
/// launched something before the first collective can run.
constexpr std::chrono::milliseconds kPatience{10'000}, kPatienceForUnknown{300};

}  // namespace

void LeaderCut::begin_iteration() {
  const RankPlace& here = position_.place();
  if (last_) period_ = here.collectives - last_->collectives;
  last_ = here;
}

int LeaderCut::still_to_pass() {
  RankBoard& board = position_.board();
  if (announced_ && *announced_ == position_.place()) return 0;
  announced_.reset();
  if (!period_ || !board.is_leader(position_.rank())) return 1;
  if (*period_ > 0 && !are_ranks_complete()) return 1;
  if (*period_ == 0 || board.followers() == 0) {
    board.go_alone();
    return 0;
  }
  const uint64_t here = position_.place().collectives;
  const uint64_t most = std::max(board.most_collectives(), here);
  const uint64_t iterations = (most - here + *period_ - 1) / *period_ + kAhead;
  announced_ = RankPlace{here + iterations * *period_, position_.place().calls};
  board.announce({*announced_, *period_});
  return static_cast<int>(iterations);
}

bool LeaderCut::are_ranks_complete() {
  const uint32_t expected = ranks_.value_or(2);
  if (position_.board().followers() + 1 >= expected) return true;
  const auto now = std::chrono::steady_clock::now();
  if (!waits_since_) waits_since_ = now;
  return now - *waits_since_ > (ranks_ ? kPatience : kPatienceForUnknown);
}

}  // namespace kjoule::cuda
