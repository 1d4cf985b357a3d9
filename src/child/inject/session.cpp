#include "session.hpp"

namespace kjoule::inject {

Session::Session(std::unique_ptr<IterationFinder> finder, int skip) : finder_(std::move(finder)), skip_(skip) {}

Step Session::next(uint64_t signature, uint64_t arguments, int64_t time_ns) {
  if (phase_ == Phase::ended) return Step::watch;
  const uint64_t number = launches_++;
  finder_->add(signature, arguments, time_ns);
  const auto found = finder_->found();
  if (!found || (phase_ != Phase::searching && found->length != at_.length)) {
    const bool was_recording = phase_ == Phase::recording;
    phase_ = Phase::searching;
    iteration_s_.clear();
    return was_recording ? Step::abandon : Step::watch;
  }
  if (phase_ == Phase::searching) {
    at_ = *found;
    last_boundary_ns_ = 0;
    phase_ = Phase::passing;
  }
  if (phase_ == Phase::recording) {
    if (recorded_ < at_.length) {
      ++recorded_;
      return Step::record;
    }
    phase_ = Phase::ended;
    return Step::end;
  }
  const bool boundary = number >= at_.first && (number - at_.first) % at_.length == 0;
  return boundary ? on_boundary(time_ns) : Step::watch;
}

Step Session::on_boundary(int64_t time_ns) {
  if (last_boundary_ns_ != 0) iteration_s_.push_back(static_cast<double>(time_ns - last_boundary_ns_) * 1e-9);
  last_boundary_ns_ = time_ns;
  if (static_cast<int>(iteration_s_.size()) < skip_) return Step::watch;
  phase_ = Phase::recording;
  recorded_ = 1;
  return Step::begin;
}

}  // namespace kjoule::inject
