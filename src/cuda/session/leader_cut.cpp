#include "cuda/session/leader_cut.hpp"

#include <algorithm>
#include <cmath>

namespace kjoule::cuda {

namespace {

/// Number of iterations from the announcement to the recorded one, so that the other ranks have time to see
/// the announcement.
constexpr uint64_t kAhead = 3;
/// Longest time for which the leader waits for other ranks: kPatience if the launcher has stated their
/// number, and kPatienceForUnknown if not. All ranks have launched something before the first collective can
/// run.
constexpr std::chrono::milliseconds kPatience{10'000}, kPatienceForUnknown{300};
/// Longest time for which the leader waits until the other ranks have found their loops. A rank need not have
/// a loop.
constexpr std::chrono::milliseconds kPatienceForLoops{5'000};
/// Fewest iterations of the leader from which the number of another rank's iterations is estimated. The ranks
/// of a pipeline may be some iterations apart, which must not look like a loop of two of the leader's
/// iterations.
constexpr int64_t kComparedIterations = 16;

/// Returns whether `time` has passed since the first call with this variable `since`.
bool is_over(std::optional<std::chrono::steady_clock::time_point>& since, std::chrono::milliseconds time) {
  const auto now = std::chrono::steady_clock::now();
  if (!since) since = now;
  return now - *since > time;
}

}  // namespace

void LeaderCut::begin_iteration(int64_t time_ns) {
  const RankPlace& here = position_.place();
  if (last_) {
    period_ = here.collectives - last_->collectives;
    iteration_ns_ = (time_ns - loop_begin_ns_) / ++iterations_;
    position_.board().set_loop(position_.rank(), *period_);
  } else {
    loop_begin_ns_ = time_ns;
    for (const FollowerProgress& follower : position_.board().progress_of_followers())
      at_loop_begin_[follower.rank] = follower.collectives;
  }
  last_ = here;
}

void LeaderCut::forget_loop() {
  last_.reset();
  period_.reset();
  iterations_ = 0;
  position_.board().forget_loop(position_.rank());
}

int LeaderCut::still_to_pass() {
  RankBoard& board = position_.board();
  if (board.follows(position_.rank())) return 0;  // the leader decides
  if (announced_ && (board.cut().is_of_own_loops || *announced_ == position_.place())) return 0;
  announced_.reset();
  if (!period_ || !board.is_leader(position_.rank())) return 1;
  if (*period_ > 0 && !(are_ranks_complete() && are_loops_found() && are_loops_comparable())) return 1;
  if (*period_ == 0 || board.followers() == 0) {
    board.go_alone();
    return 0;
  }
  return announce(have_own_collectives());
}

int LeaderCut::announce(bool is_of_own_loops) {
  RankBoard& board = position_.board();
  const uint64_t here = position_.place().collectives;
  const uint64_t most = std::max(board.most_collectives(), here);
  const uint64_t iterations = is_of_own_loops ? 0 : (most - here + *period_ - 1) / *period_ + kAhead;
  announced_ = RankPlace{here + iterations * *period_, position_.place().calls};
  board.announce({*announced_, *period_, is_of_own_loops, iteration_ns_});
  return static_cast<int>(iterations);
}

bool LeaderCut::are_ranks_complete() {
  const uint32_t expected = ranks_.value_or(2);
  if (position_.board().followers() + 1 >= expected) return true;
  return is_over(waits_since_, ranks_ ? kPatience : kPatienceForUnknown);
}

bool LeaderCut::are_loops_found() {
  const auto followers = position_.board().progress_of_followers();
  const auto has_loop = [](const FollowerProgress& follower) { return follower.of_iteration.has_value(); };
  return std::ranges::all_of(followers, has_loop) || is_over(waits_for_loops_since_, kPatienceForLoops);
}

bool LeaderCut::are_loops_comparable() const {
  if (position_.origin() == RankPosition::Origin::attachment) return true;
  const auto followers = position_.board().progress_of_followers();
  const auto is_like_own = [this](const FollowerProgress& follower) {
    return follower.of_iteration.value_or(*period_) == *period_;
  };
  return iterations_ >= kComparedIterations || std::ranges::all_of(followers, is_like_own);
}

bool LeaderCut::have_own_collectives() const {
  if (position_.origin() == RankPosition::Origin::attachment) return true;
  bool differ = false;
  for (const FollowerProgress& follower : position_.board().progress_of_followers()) {
    const uint64_t own = follower.of_iteration.value_or(*period_);
    if (own == *period_) continue;
    // If the iterations of a rank differ in turns, its loop covers several iterations of the leader.
    const auto launched = static_cast<double>(follower.collectives - at_loop_begin_[follower.rank]);
    const double loops = launched / static_cast<double>(std::max<uint64_t>(1, own));
    const double ratio = static_cast<double>(iterations_) / std::max(1.0, loops);
    if (std::lround(std::max(ratio, 1 / ratio)) > 1) return false;
    differ = true;
  }
  return differ;
}

}  // namespace kjoule::cuda
