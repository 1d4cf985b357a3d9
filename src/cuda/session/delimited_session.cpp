#include "cuda/session/delimited_session.hpp"

#include <utility>

#include "cuda/driver/thread_number.hpp"

namespace kjoule::cuda {

Step DelimitedSession::next(const NextLaunch& launch) {
  if (phase_ == Phase::ended) return Step::pass;
  launches_ += launch.launches;
  const bool is_begin =
      launch.shape_hash == begin_.shape_hash && (!begin_.thread || begin_.thread == thread_number());
  if (!is_begin) return phase_ == Phase::recording ? Step::record : Step::pass;
  if (phase_ == Phase::recording) {
    phase_ = Phase::ended;
    of_end_ = launch.launches;
    return Step::end;
  }
  if (cut_ != nullptr) cut_->begin_iteration();
  if (static_cast<int>(begins_ns_.size()) <= passed_) begins_ns_.push_back(launch.time_ns);
  if (static_cast<int>(begins_ns_.size()) <= passed_) return Step::pass;
  if (const int more = cut_ != nullptr ? cut_->still_to_pass() : 0; more > 0) {
    passed_ += more;
    return Step::pass;
  }
  phase_ = Phase::recording;
  return Step::begin;
}

void DelimitedSession::record_next() {
  phase_ = Phase::passing;
  launches_ -= std::exchange(of_end_, 0);  // it comes again
}

std::vector<IterationSpan> DelimitedSession::passed_iterations() const {
  std::vector<IterationSpan> spans;
  for (size_t i = 1; i < begins_ns_.size(); ++i) spans.push_back({begins_ns_[i - 1], begins_ns_[i]});
  return spans;
}

}  // namespace kjoule::cuda
