#include "cuda/window_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kjoule::cuda {

Step WindowSession::next(const NextLaunch& launch) {
  const uint64_t number = launches_;
  launches_ += launch.launches;
  const bool waited = std::exchange(has_waited_, false);
  if (state_ == State::ended) return Step::pass;
  if (state_ == State::passing) {
    if (!may_begin_lead(launch)) return Step::pass;
    state_ = place_.lead > 0 ? State::lead : State::measured;
    first_ = number;
    add(launch.launches);
    return Step::begin;
  }
  if (is_complete()) {
    state_ = State::ended;
    return Step::end;
  }
  if (state_ == State::lead && place_.may_begin(edges_.lead, waited)) {
    state_ = State::measured;
    first_ = number;
  } else if (state_ == State::measured && place_.may_end(measured_, waited)) {
    state_ = State::tail;
  }
  add(launch.launches);
  return Step::record;
}

bool WindowSession::is_complete() const {
  if (state_ == State::tail) return edges_.tail >= place_.tail;
  return state_ == State::measured && place_.tail == 0 && measured_ >= place_.least;
}

bool WindowSession::may_begin_lead(const NextLaunch& launch) {
  const bool may = launches_ > place_.lead_first && last_.ends_with(place_.after);
  if (!place_.after.empty()) last_.add(launch.identity);
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
  return fmt::format("the launches from number {} on, of which a window was to be recorded, were not reached",
                     place_.lead_first);
}

}  // namespace kjoule::cuda
