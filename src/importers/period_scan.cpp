#include "importers/period_scan.hpp"

#include <algorithm>

namespace kjoule {
namespace {

constexpr uint64_t kRepeats = 6;    // above the 4 micro-batches of common gradient accumulation
constexpr double kNearlyAll = 0.9;  // offsets of generators and addresses of inputs may differ
constexpr double kMostly = 0.6;     // a layer has fewer arguments in common with the next layer
constexpr uint64_t kSamples = 8;    // launches compared before whole periods are compared
constexpr uint64_t kAlternations =
    4;  // results kept alive make buffers alternate over at most this many iterations
constexpr uint64_t kLongerThanLayer = 200;
constexpr uint64_t kLookBack = 2;  // distance to search for earlier repetitions, in lengths of the candidate

bool holds_without_arguments(const RepeatedEnd& repeated) {
  return repeated.launches() >= RepetitionMinimum::with_other_arguments(repeated.lag);
}

}  // namespace

uint64_t RepetitionMinimum::with_equal_arguments(uint64_t period) {
  // Autotuners repeat (flush, kernel) up to about 1600 times; layers with shared weights repeat about 24
  // times.
  const uint64_t launches = period <= 4 ? 4000 : 600;
  return std::max(kRepeats * period, launches);
}

uint64_t RepetitionMinimum::with_other_arguments(uint64_t period) {
  if (period < 16) return 30000;
  return std::clamp<uint64_t>(30000 / period, 10, 150) * period;
}

void PeriodScan::start(const LaunchHistory& history, uint64_t window) {
  end_ = history.count();
  // Older launches may be overwritten before the scan is complete.
  const uint64_t kept = LaunchHistory::kCapacity - kLongestScan;
  oldest_ = std::max(history.oldest(), end_ > kept ? end_ - kept : 0);
  ends_.start(end_, std::min(window, end_ - oldest_));
  stage_ = Stage::list_ends;
  result_.reset();
  primitive_ = {};
  longer_repeats_ = false;
}

bool PeriodScan::work(const LaunchHistory& history, int64_t& steps) {
  while (steps > 0 && stage_ != Stage::over) {
    switch (stage_) {
      case Stage::list_ends:
        next_candidate(history, steps);
        break;
      case Stage::sample:
        sample(history, steps);
        break;
      case Stage::compare:
        compare(history, steps);
        break;
      case Stage::sum_contents:
        sum_contents(history, steps);
        break;
      case Stage::look_back:
        look_back(history, steps);
        break;
      case Stage::over:
        break;
    }
  }
  return stage_ == Stage::over;
}

void PeriodScan::next_candidate(const LaunchHistory& history, int64_t& steps) {
  if (const std::optional<RepeatedEnd> repeated = ends_.next(history, steps)) return consider(*repeated);
  if (!ends_.done()) return;
  const bool long_enough = primitive_.lag > 0 && holds_without_arguments(primitive_);
  const RepeatedEnd last = primitive_;
  primitive_ = {};
  if (long_enough && !longer_repeats_)
    begin_look_back(last);
  else
    stage_ = Stage::over;
}

/// Examines one repeated end. They arrive by ascending lag: one that spans no more launches than the last
/// primitive one is its multiple.
void PeriodScan::consider(const RepeatedEnd& repeated) {
  if (repeated.launches() > primitive_.launches()) {
    primitive_ = repeated;
    primitive_agreement_ = {};
    longer_repeats_ = false;
  }
  const uint64_t needed = std::max(RepetitionMinimum::with_equal_arguments(repeated.lag),
                                   RepetitionMinimum::with_equal_arguments(primitive_.lag));
  long_enough_ = repeated.launches() >= needed;
  if (!long_enough_ && !holds_without_arguments(primitive_)) return;
  candidate_ = repeated;
  agreement_ = {};
  samples_ = 0;
  stage_ = Stage::sample;
}

void PeriodScan::count_agreement(const LaunchHistory& history, uint64_t number) {
  const uint32_t now = history.arguments(number), before = history.arguments(number - candidate_.lag);
  if (now == 0 || before == 0) return;
  ++agreement_.known;
  if (now == before) ++agreement_.equal;
}

/// Compares a few arguments first. This avoids the full comparison for the many lags of a program that
/// launches one kernel again and again.
void PeriodScan::sample(const LaunchHistory& history, int64_t& steps) {
  const uint64_t span = std::min(candidate_.matched, (kRepeats - 1) * candidate_.lag);
  const uint64_t forgiven = long_enough_ ? kSamples / 2 : 0;
  for (; samples_ < kSamples && agreement_.known - agreement_.equal <= forgiven; ++samples_, steps -= 4)
    count_agreement(history, end_ - 1 - (samples_ * 0x9E3779B9u + 7) % span);
  if (!long_enough_) {
    longer_repeats_ |= agreement_.equal == kSamples && candidate_.lag > primitive_.lag;
    stage_ = Stage::list_ends;
  } else if (samples_ < kSamples) {
    stage_ = Stage::list_ends;
  } else {
    agreement_ = {};
    position_ = end_ - span;
    stage_ = Stage::compare;
  }
}

void PeriodScan::compare(const LaunchHistory& history, int64_t& steps) {
  const uint64_t stop = std::min(end_, position_ + static_cast<uint64_t>(steps));
  steps -= static_cast<int64_t>(stop - position_);
  for (; position_ < stop; ++position_) count_agreement(history, position_);
  if (position_ == end_) judge();
}

void PeriodScan::judge() {
  if (candidate_.lag == primitive_.lag) primitive_agreement_ = agreement_;
  const bool known = 2 * agreement_.known >= (kRepeats - 1) * candidate_.lag;
  if (known && agreement_.at_least(kNearlyAll))
    begin_look_back(primitive_is_the_iteration() ? primitive_ : candidate_);
  else
    stage_ = Stage::list_ends;
}

/// Returns whether the primitive repetition, not the candidate whose arguments repeat, is the iteration. A
/// candidate of at most 4 shorter repetitions consists of iterations whose buffers alternate, unless the
/// repetitions look like layers.
bool PeriodScan::primitive_is_the_iteration() const {
  if (candidate_.lag / primitive_.lag > kAlternations) return false;
  return primitive_.lag >= kLongerThanLayer || primitive_agreement_.at_least(kMostly);
}

void PeriodScan::begin_look_back(const RepeatedEnd& repeated) {
  candidate_ = repeated;
  earlier_ = {};
  position_ = end_ - repeated.launches() + repeated.lag;
  contents_ = 0;
  stage_ = Stage::sum_contents;
}

void PeriodScan::sum_contents(const LaunchHistory& history, int64_t& steps) {
  const uint64_t begin = end_ - candidate_.launches();
  for (; position_ > begin && steps > 0; --steps) contents_ += history.shape_hash(--position_);
  if (position_ > begin) return;
  const uint64_t reach = kLookBack * candidate_.launches();
  earlier_.stop = begin > oldest_ + reach ? begin - reach : oldest_;
  earlier_.contents = contents_;
  stage_ = Stage::look_back;
}

/// Searches for an earlier repetition of the same launches that broke. If there is one, the candidate may be
/// a part of a longer iteration, so it must repeat two times more than the earlier one.
void PeriodScan::look_back(const LaunchHistory& history, int64_t& steps) {
  const uint64_t lag = candidate_.lag;
  for (; position_ > earlier_.stop && steps > 0; --steps) {
    --position_;
    const uint32_t here = history.shape_hash(position_), later = history.shape_hash(position_ + lag);
    earlier_.contents += here;
    earlier_.contents -= later;
    if (here != later) {
      earlier_.broke = true;
      earlier_.matched = 0;
      earlier_.same_contents = false;
    } else if (!earlier_.broke) {
      ++candidate_.matched;  // the window began within the repetition
    } else if (++earlier_.matched >= lag) {
      earlier_.same_contents |= earlier_.contents == contents_;
      if (earlier_.same_contents) earlier_.longest = std::max(earlier_.longest, earlier_.matched + lag);
    }
  }
  if (position_ > earlier_.stop) return;
  const bool holds = earlier_.longest == 0 || candidate_.launches() >= earlier_.longest + 2 * lag;
  if (holds) result_ = candidate_;
  stage_ = holds ? Stage::over : Stage::list_ends;
}

}  // namespace kjoule
