#include "cuda/session/accompanying_session.hpp"

#include <utility>

namespace kjoule::cuda {

Step AccompanyingSession::next(const NextLaunch& launch) {
  if (phase_ == Phase::ended) return Step::pass;
  if (has_all()) {
    phase_ = Phase::ended;
    return Step::end;  // the program makes this launch again, or none is recorded any more
  }
  follow(launch);
  if (phase_ != Phase::recording) return Step::pass;
  if (!has_loop()) {
    phase_ = Phase::searching;
    return Step::abandon;
  }
  ++recorded_;
  return Step::record;
}

void AccompanyingSession::follow(const NextLaunch& launch) {
  if (own_->next(launch) == Step::begin) {
    own_->record_next();  // the iteration passes unrecorded
    if (is_in_loop_) iteration_ = std::exchange(current_, {});
    current_.clear();
    is_in_loop_ = true;
  } else if (has_loop() && (current_.size() >= iteration_.size() ||
                            iteration_[current_.size()].shape_hash != launch.shape_hash)) {
    forget_loop();
  }
  if (is_in_loop_) current_.push_back({launch.shape_hash, launch.collectives});
}

void AccompanyingSession::forget_loop() {
  is_in_loop_ = false;
  iteration_.clear();
  current_.clear();
}

uint64_t AccompanyingSession::collectives() const {
  uint64_t all = 0;
  for (const PassedLaunch& launch : iteration_) all += launch.collectives;
  return all;
}

void AccompanyingSession::begin() {
  phase_ = Phase::recording;
  recorded_ = 0;
}

bool AccompanyingSession::search_again() {
  phase_ = Phase::searching;
  return true;
}

}  // namespace kjoule::cuda
