#include "cuda/repeating_session.hpp"

namespace kjoule::inject {

RepeatingSession::RepeatingSession(std::unique_ptr<IterationFinder> finder, int skip)
    : finder_(std::move(finder)), skip_(skip) {}

void RepeatingSession::tell_finder(uint64_t signature, uint64_t arguments, int64_t time_ns,
                                   uint64_t launches) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;  // makes the signatures of a graph's nodes differ
  for (uint64_t i = 0; i < launches; ++i)
    finder_->add(signature + i * kOdd, arguments == 0 ? 0 : arguments + i * kOdd, time_ns);
}

bool RepeatingSession::needs_time() const {
  if (phase_ == Phase::searching) return true;
  return phase_ != Phase::ended && launches_ >= at_.first && (launches_ - at_.first) % at_.length == 0;
}

Step RepeatingSession::next(uint64_t signature, uint64_t arguments, int64_t time_ns, uint64_t launches) {
  if (phase_ == Phase::ended) return Step::watch;
  if (needs_time()) last_ns_ = time_ns;
  const uint64_t number = launches_;
  launches_ += launches;
  tell_finder(signature, arguments, last_ns_, launches);
  if (phase_ == Phase::searching) {
    const auto found = finder_->found();
    if (!found) return Step::watch;
    at_ = *found;
    phase_ = Phase::passing;
  }
  if (launches_ <= at_.first) return Step::watch;
  if (phase_ == Phase::recording && recorded_ == at_.length) {
    phase_ = Phase::ended;
    return Step::end;
  }
  if (number < at_.first) return give_up();  // the iteration would begin within a graph
  const uint64_t place = (number - at_.first) % at_.length;
  if (place + launches > at_.length || !as_before(place, signature)) return give_up();
  if (phase_ == Phase::recording) {
    recorded_ += launches;
    return Step::record;
  }
  return place == 0 ? on_boundary(time_ns, launches) : Step::watch;
}

bool RepeatingSession::as_before(uint64_t place, uint64_t signature) {
  if (place == 0) at_signature_ = 0;
  const size_t i = at_signature_++;
  const bool first_iteration = boundaries_ns_.empty() || (boundaries_ns_.size() == 1 && place > 0);
  if (first_iteration) signatures_.push_back(signature);
  return first_iteration || (i < signatures_.size() && signatures_[i] == signature);
}

Step RepeatingSession::give_up() {
  const bool was_recording = phase_ == Phase::recording;
  finder_->reject();
  phase_ = Phase::searching;
  boundaries_ns_.clear();
  signatures_.clear();
  return was_recording ? Step::abandon : Step::watch;
}

Step RepeatingSession::on_boundary(int64_t time_ns, uint64_t launches) {
  boundaries_ns_.push_back(time_ns);
  if (static_cast<int>(boundaries_ns_.size()) <= skip_) return Step::watch;
  phase_ = Phase::recording;
  recorded_ = launches;
  return Step::begin;
}

std::vector<IterationSpan> RepeatingSession::passed() const {
  std::vector<IterationSpan> spans;
  for (size_t i = 1; i < boundaries_ns_.size(); ++i)
    spans.push_back({boundaries_ns_[i - 1], boundaries_ns_[i]});
  return spans;
}

}  // namespace kjoule::inject
