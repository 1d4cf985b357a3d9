#include "repeating_session.hpp"

namespace kjoule::inject {

RepeatingSession::RepeatingSession(std::unique_ptr<IterationFinder> finder, int skip)
    : finder_(std::move(finder)), skip_(skip) {}

Step RepeatingSession::next(uint64_t signature, uint64_t arguments, int64_t time_ns) {
  if (phase_ == Phase::ended) return Step::watch;
  const uint64_t number = launches_++;
  finder_->add(signature, arguments, time_ns);
  if (phase_ == Phase::searching) {
    const auto found = finder_->found();
    if (!found) return Step::watch;
    at_ = *found;
    phase_ = Phase::passing;
  }
  if (number < at_.first) return Step::watch;
  if (phase_ == Phase::recording && recorded_ == at_.length) {
    phase_ = Phase::ended;
    return Step::end;
  }
  const uint64_t place = (number - at_.first) % at_.length;
  if (!as_before(place, signature)) return give_up();
  if (phase_ == Phase::recording) {
    ++recorded_;
    return Step::record;
  }
  return place == 0 ? on_boundary(time_ns) : Step::watch;
}

bool RepeatingSession::as_before(uint64_t place, uint64_t signature) {
  if (signatures_.size() == at_.length) return signatures_[place] == signature;
  if (phase_ == Phase::passing) signatures_.push_back(signature);
  return true;
}

Step RepeatingSession::give_up() {
  const bool was_recording = phase_ == Phase::recording;
  finder_->reject();
  phase_ = Phase::searching;
  boundaries_ns_.clear();
  signatures_.clear();
  return was_recording ? Step::abandon : Step::watch;
}

Step RepeatingSession::on_boundary(int64_t time_ns) {
  boundaries_ns_.push_back(time_ns);
  if (static_cast<int>(boundaries_ns_.size()) <= skip_) return Step::watch;
  phase_ = Phase::recording;
  recorded_ = 1;
  return Step::begin;
}

std::vector<IterationSpan> RepeatingSession::passed() const {
  std::vector<IterationSpan> spans;
  for (size_t i = 1; i < boundaries_ns_.size(); ++i)
    spans.push_back({boundaries_ns_[i - 1], boundaries_ns_[i]});
  return spans;
}

}  // namespace kjoule::inject
