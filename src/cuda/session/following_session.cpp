#include "cuda/session/following_session.hpp"

#include <fmt/format.h>

#include <utility>

namespace kjoule::cuda {

bool FollowingSession::begins_earlier(const NextLaunch& launch) const {
  const uint64_t here = position_.place().collectives;
  return (cut_.begin.collectives - here) % cut_.period == 0 &&
         position_.is_at({here, cut_.begin.calls}, launch.collectives);
}

Step FollowingSession::next(const NextLaunch& launch) {
  launches_ += launch.launches;
  const RankBoard& board = position_.board();
  if (phase_ == Phase::waiting && board.announcements() != announcement_ &&
      board.decision() == RankBoard::Decision::cut) {
    announcement_ = board.announcements();
    cut_ = board.cut();
    phase_ = Phase::passing;
    begins_ns_.clear();
  }
  if (phase_ == Phase::passing) {
    if (position_.is_at(cut_.begin, launch.collectives)) {
      begins_ns_.push_back(launch.time_ns);
      phase_ = Phase::recording;
      return Step::begin;
    }
    if (position_.place().collectives > cut_.begin.collectives) {
      position_.board().give_up();
      phase_ = Phase::ended;
    } else if (begins_earlier(launch)) {
      begins_ns_.push_back(launch.time_ns);
    }
    return Step::pass;
  }
  if (phase_ != Phase::recording) return Step::pass;
  const RankPlace end{cut_.begin.collectives + cut_.period, cut_.begin.calls};
  if (!position_.is_at(end, launch.collectives)) return Step::record;
  phase_ = Phase::ended;
  of_end_ = launch.launches;
  return Step::end;
}

bool FollowingSession::search_again() {
  phase_ = Phase::waiting;
  return true;
}

void FollowingSession::record_next() {
  cut_.begin.collectives += cut_.period;
  phase_ = Phase::passing;
  launches_ -= std::exchange(of_end_, 0);  // it comes again
}

std::string FollowingSession::describe_iteration() const {
  return fmt::format("the launches between the same {} collectives as those of the leading rank's iteration",
                     cut_.period);
}

}  // namespace kjoule::cuda
