#include "cuda/session/repeating_session.hpp"

#include <algorithm>
#include <utility>

#include "cuda/driver/thread_number.hpp"

namespace kjoule::cuda {

namespace {

constexpr double kLongestFill_ns = 2e9;

}  // namespace

RepeatingSession::RepeatingSession(std::unique_ptr<IterationFinder> finder, int passed, uint64_t queue,
                                   LeaderCut* cut)
    : finder_(std::move(finder)), passed_(passed, cut), queue_(queue) {}

bool RepeatingSession::needs_time() const {
  if (delimited_) return delimited_->needs_time();
  if (phase_ == Phase::searching) return true;
  return phase_ != Phase::ended && launches_ >= iteration_.first &&
         (launches_ - iteration_.first) % iteration_.length == 0;
}

Step RepeatingSession::next(const NextLaunch& launch) {
  if (phase_ == Phase::ended) return Step::pass;
  const uint64_t number = launches_;
  launches_ += launch.launches;
  const bool waited = std::exchange(has_waited_, false);
  if (waited) waits_.push_back(number);
  if (waits_.size() > kMostWaits) waits_.pop_front();
  if (delimited_) return delimited_->next(launch);
  if (phase_ == Phase::searching) {
    if (number == 0) begin_ns_ = launch.time_ns;
    finder_->add({launch.shape_hash, launch.address_hash, launch.time_ns, number, waited, thread_number()});
    const auto found = finder_->found(launches_);
    if (const auto begin = finder_->begin()) {
      delimited_.emplace(*begin, passed_);
      runs_ahead_ = waits_.empty() || waits_.back() == 0;
    }
    if (!found) return Step::pass;
    start_passing(*found, launch.time_ns);
  }
  if (launches_ <= iteration_.first) return Step::pass;
  if (phase_ == Phase::recording && recorded_ == iteration_.length) {
    phase_ = Phase::ended;
    of_end_ = launch.launches;
    return Step::end;
  }
  if (number < iteration_.first) return reject_iteration();  // the iteration would begin within a graph
  const uint64_t place = (number - iteration_.first) % iteration_.length;
  if (place + launch.launches > iteration_.length || !matches_first_iteration(place, launch.shape_hash))
    return reject_iteration();
  if (phase_ == Phase::recording) {
    recorded_ += launch.launches;
    return Step::record;
  }
  return place == 0 ? begin_iteration(launch.time_ns, launch.launches) : Step::pass;
}

void RepeatingSession::start_passing(const IterationPosition& found, int64_t time_ns) {
  phase_ = Phase::passing;
  iteration_ = found;
  runs_ahead_ = !waited_in_both(found.length);
  if (!runs_ahead_) return;
  const double launch_ns =
      static_cast<double>(time_ns - begin_ns_) / static_cast<double>(launches_);  // mean of the run so far
  const uint64_t most = launch_ns > 0 ? static_cast<uint64_t>(kLongestFill_ns / launch_ns) : queue_;
  const uint64_t iterations = (std::min(queue_, most) + found.length - 1) / found.length;
  iteration_.first += iterations * found.length;
}

bool RepeatingSession::waited_in_both(uint64_t length) const {
  const auto waited_between = [&](uint64_t first, uint64_t end) {
    const auto wait = std::ranges::lower_bound(waits_, first);
    return wait != waits_.end() && *wait < end;
  };
  const uint64_t end = launches_;
  if (end < 2 * length) return waited_between(0, end);
  return waited_between(end - length, end) && waited_between(end - 2 * length, end - length);
}

bool RepeatingSession::matches_first_iteration(uint64_t place, uint64_t shape_hash) {
  if (place == 0) next_shape_ = 0;
  const size_t i = next_shape_++;
  const bool first_iteration = passed_.size() == 0 || (passed_.size() == 1 && place > 0);
  if (first_iteration) shape_hashes_.push_back(shape_hash);
  return first_iteration || (i < shape_hashes_.size() && shape_hashes_[i] == shape_hash);
}

bool RepeatingSession::search_again() {
  if (!finder_->loop()) return false;
  reject_iteration();
  return true;
}

void RepeatingSession::record_next() {
  passed_.expect_next();
  if (delimited_) return delimited_->record_next();
  phase_ = Phase::passing;
  launches_ -= std::exchange(of_end_, 0);  // the program makes this launch again
}

Step RepeatingSession::reject_iteration() {
  const bool was_recording = phase_ == Phase::recording;
  finder_->reject();
  delimited_.reset();
  runs_ahead_ = false;
  phase_ = Phase::searching;
  passed_.forget_loop();
  shape_hashes_.clear();
  return was_recording ? Step::abandon : Step::pass;
}

Step RepeatingSession::begin_iteration(int64_t time_ns, uint64_t launches) {
  if (!passed_.begin(time_ns)) return Step::pass;
  phase_ = Phase::recording;
  recorded_ = launches;
  return Step::begin;
}

std::vector<IterationSpan> RepeatingSession::passed_iterations() const {
  return delimited_ ? delimited_->passed_iterations() : passed_.spans();
}

}  // namespace kjoule::cuda
