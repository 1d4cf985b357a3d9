#include "cuda/session/phase_session.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kjoule::cuda {

namespace {

constexpr size_t kMostBegins = 6;
/// Number of recordings of one phase that may end early because the program made a different launch.
constexpr int kMostAttempts = 3;

}  // namespace

PhaseSession::PhaseSession(const std::vector<PhasePattern>& phases, uint64_t launches) : launches_(launches) {
  for (const PhasePattern& pattern : phases) phases_.push_back({pattern, 0, {}});
  current_ = phases_.end();
}

Step PhaseSession::next(const NextLaunch& launch) {
  const uint64_t number = launches_;
  launches_ += launch.launches;
  Step step = Step::pass;
  if (is_complete()) {
    state_ = State::recorded;
    step = Step::end;
  } else if (state_ == State::searching) {
    step = search(launch, number);
  } else if (state_ == State::recording && continues(launch)) {
    step = Step::record;
    ++place_;
  } else if (state_ == State::recording) {
    step = is_in_tail() ? Step::end : Step::abandon;
    state_ = is_in_tail() ? State::recorded : State::searching;
  }
  last_.add(launch.identity);
  return step;
}

Step PhaseSession::search(const NextLaunch& launch, uint64_t number) {
  Step step = Step::pass;
  for (auto phase = phases_.begin(); phase != phases_.end(); ++phase) {
    if (phase->attempts >= kMostAttempts || !may_begin(phase->pattern, launch.identity, last_)) continue;
    phase->begins.push_back({number, launch.time_ns});
    if (phase->begins.size() > kMostBegins) phase->begins.pop_front();
    if (phase->pattern.occurrence > 0) {
      --phase->pattern.occurrence;
      continue;
    }
    if (step == Step::begin) continue;
    step = Step::begin;
    current_ = phase;
    ++current_->attempts;
    state_ = State::recording;
    place_ = 1;
  }
  return step;
}

bool PhaseSession::is_in_tail() const {
  return place_ + current_->pattern.tail >= current_->pattern.iteration.size();
}

WindowEdges PhaseSession::edges() const {
  const PhasePattern& pattern = current_->pattern;
  const size_t end = pattern.iteration.size() - pattern.tail;
  WindowEdges edges;
  for (size_t i = 0; i < pattern.lead; ++i) edges.lead += pattern.iteration[i].launches;
  for (size_t i = end; i < place_; ++i) edges.tail += pattern.iteration[i].launches;
  return edges;
}

bool PhaseSession::continues(const NextLaunch& launch) const {
  return current_->pattern.iteration[place_].matches(launch.identity);
}

bool PhaseSession::go_on() {
  phases_.erase(current_);
  current_ = phases_.end();
  state_ = State::searching;
  return !phases_.empty();
}

std::vector<IterationSpan> PhaseSession::passed_iterations() const {
  const std::deque<Begin>& begins = current_->begins;
  uint64_t length = 0;
  for (const ExpectedLaunch& launch : current_->pattern.iteration) length += launch.launches;
  std::vector<IterationSpan> spans;
  for (size_t i = begins.size(); i-- > 1 && begins[i].launch - begins[i - 1].launch == length;)
    spans.push_back({begins[i - 1].time_ns, begins[i].time_ns});
  std::ranges::reverse(spans);
  return spans;
}

std::string PhaseSession::describe_iteration() const {
  const PhasePattern& pattern = current_->pattern;
  return fmt::format("{} launches of phase {}", pattern.iteration.size() - pattern.lead - pattern.tail,
                     pattern.number);
}

std::string PhaseSession::best_guess() const {
  std::string numbers;
  for (const Searched& phase : phases_)
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(phase.pattern.number);
  return "the program did not repeat these phases of its first run: " + numbers;
}

}  // namespace kjoule::cuda
