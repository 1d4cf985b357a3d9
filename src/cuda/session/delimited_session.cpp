#include "cuda/session/delimited_session.hpp"

#include <utility>

#include "cuda/driver/thread_number.hpp"

namespace kjoule::cuda {

namespace {

/// Number of iterations that are abandoned at most because the other threads did something else before.
constexpr int kMostAbandoned = 10;

/// Adds a launch to the hash of the launches before it.
void add_to_hash(uint64_t& hash, uint64_t shape_hash) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  hash = hash * kOdd + shape_hash;
}

}  // namespace

Step DelimitedSession::next(const NextLaunch& launch) {
  if (phase_ == Phase::ended) return Step::pass;
  launches_ += launch.launches;
  const bool is_of_other = begin_.thread && begin_.thread != thread_number();
  if (is_of_other) add_to_hash(others_[thread_number()], launch.shape_hash);
  if (is_of_other || launch.shape_hash != begin_.shape_hash)
    return phase_ == Phase::recording ? Step::record : Step::pass;
  const bool others_repeat = end_iteration();
  if (phase_ == Phase::recording) {
    if (!others_repeat && !is_shared() && abandoned_ < kMostAbandoned) {
      ++abandoned_;
      phase_ = Phase::passing;
      return Step::abandon;
    }
    phase_ = Phase::ended;
    of_end_ = launch.launches;
    return Step::end;
  }
  if (!passed_.begin(launch.time_ns)) return Step::pass;
  phase_ = Phase::recording;
  return Step::begin;
}

bool DelimitedSession::end_iteration() {
  if (!std::exchange(has_begun_, true)) {  // what was launched before is no iteration
    others_.clear();
    return true;
  }
  const bool repeat = !others_before_ || *others_before_ == others_;
  others_before_ = std::exchange(others_, {});
  return repeat;
}

void DelimitedSession::record_next() {
  phase_ = Phase::passing;
  others_ = std::exchange(others_before_, std::nullopt).value_or(HashesOfThreads{});
  launches_ -= std::exchange(of_end_, 0);  // the program makes this launch again
}

}  // namespace kjoule::cuda
