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
  if (!passed_.begin(launch.time_ns)) return Step::pass;
  phase_ = Phase::recording;
  return Step::begin;
}

void DelimitedSession::record_next() {
  phase_ = Phase::passing;
  launches_ -= std::exchange(of_end_, 0);  // the program makes this launch again
}

}  // namespace kjoule::cuda
