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
  if (phase_ == Phase::waiting) take_note_of_announcement();
  const Step own = searches_ ? follow_own_loop(launch) : Step::pass;
  return cut_.is_of_own_loops ? own : follow_leader(launch);
}

void FollowingSession::take_note_of_announcement() {
  const RankBoard& board = position_.board();
  if (board.announcements() == announcement_ || board.decision() != RankBoard::Decision::cut) return;
  announcement_ = board.announcements();
  cut_ = board.cut();
  phase_ = Phase::passing;
  begins_ns_.clear();
}

Step FollowingSession::follow_own_loop(const NextLaunch& launch) {
  const Step step = own_->next(launch);
  const bool is_wanted = cut_.is_of_own_loops && phase_ != Phase::waiting;
  if (step == Step::begin && is_wanted) phase_ = Phase::recording;
  if (step == Step::end) phase_ = Phase::ended;
  if (step == Step::abandon) phase_ = Phase::waiting;
  if (step != Step::begin || is_wanted) return step;
  searches_ = own_->can_record_next();
  own_->record_next();
  return Step::pass;
}

Step FollowingSession::follow_leader(const NextLaunch& launch) {
  if (phase_ == Phase::passing) {
    if (position_.is_at(cut_.begin, launch.collectives)) {
      begins_ns_.push_back(launch.time_ns);
      phase_ = Phase::recording;
      searches_ = false;
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
  if (cut_.is_of_own_loops) own_->search_again();
  phase_ = Phase::waiting;
  return true;
}

void FollowingSession::record_next() {
  if (cut_.is_of_own_loops) {
    own_->record_next();
    launches_ = own_->launches();
    phase_ = Phase::passing;
    return;
  }
  cut_.begin.collectives += cut_.period;
  phase_ = Phase::passing;
  launches_ -= std::exchange(of_end_, 0);  // the program makes this launch again
}

std::vector<IterationSpan> FollowingSession::passed_iterations() const {
  return cut_.is_of_own_loops ? own_->passed_iterations() : spans_between(begins_ns_);
}

std::string FollowingSession::describe_iteration() const {
  if (cut_.is_of_own_loops) return own_->describe_iteration();
  return fmt::format("the launches between the same {} collectives as those of the leading rank's iteration",
                     cut_.period);
}

}  // namespace kjoule::cuda
