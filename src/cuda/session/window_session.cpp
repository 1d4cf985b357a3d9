#include "cuda/session/window_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kjoule::cuda {

WindowSession::WindowSession(std::deque<WindowPlace> places, uint64_t launches)
    : places_(std::move(places)), launches_(launches), since_(launches) {}

bool WindowSession::go_on() {
  if (places_.size() == 1) return false;
  places_.pop_front();
  state_ = State::passing;
  since_ = launches_;
  edges_ = {};
  measured_ = 0;
  last_ = {};
  return true;
}

Step WindowSession::next(const NextLaunch& launch) {
  const uint64_t number = launches_;
  launches_ += launch.launches;
  const bool waited = std::exchange(has_waited_, false);
  if (state_ == State::ended) return Step::pass;
  if (state_ == State::passing) {
    if (!may_begin_lead(launch)) return Step::pass;
    state_ = place().lead > 0 ? State::lead : State::measured;
    first_ = number;
    add(launch.launches);
    return Step::begin;
  }
  if (is_complete()) {
    state_ = State::ended;
    return Step::end;
  }
  if (state_ == State::lead && place().may_begin(edges_.lead, waited)) {
    state_ = State::measured;
    first_ = number;
  } else if (state_ == State::measured && place().may_end(measured_, waited)) {
    state_ = State::tail;
  }
  add(launch.launches);
  return Step::record;
}

bool WindowSession::is_complete() const {
  if (state_ == State::tail) return edges_.tail >= place().tail;
  return state_ == State::measured && place().tail == 0 && measured_ >= place().least;
}

bool WindowSession::may_begin_lead(const NextLaunch& launch) {
  const bool may =
      launches_ > std::max(place().lead_first, since_ + place().skipped) && last_.ends_with(place().after);
  if (!place().after.empty()) last_.add(launch.identity);
  return may;
}

void WindowSession::add(uint64_t launches) {
  if (state_ == State::lead) edges_.lead += launches;
  if (state_ == State::measured) measured_ += launches;
  if (state_ == State::tail) edges_.tail += launches;
}

std::string WindowSession::describe_iteration() const {
  return fmt::format("launches {}..{}, which need not be an iteration: memory is restored before each replay",
                     first_, first_ + measured_);
}

std::string WindowSession::best_guess() const {
  return fmt::format("the program did not reach launch {}, from which on a window was to be recorded",
                     place().lead_first);
}

}  // namespace kjoule::cuda
