#include "importers/repetition_finder.hpp"

#include <algorithm>

namespace kjoule {
namespace {

// Steps for each launch and level. A step takes about a nanosecond.
constexpr int64_t kSteps = 4;
constexpr int64_t kWeighingSteps =
    12;  // while a candidate is examined: seldom, and the program waits for the answer
constexpr int64_t kSettlingSteps = 32;  // while the beginning of the iterations is chosen
constexpr size_t kPausesLookedAt = 7;

}  // namespace

RepetitionFinder::RepetitionFinder() {
  for (unsigned power = kSmallestWindow; power <= kLargestWindow; ++power)
    levels_.push_back({uint64_t{1} << power, PeriodScan(uint64_t{1} << power)});
}

void RepetitionFinder::work() {
  if (pending_) return choose_begin();
  for (Level& level : levels_) {
    work_on(level);
    if (pending_) break;
  }
}

void RepetitionFinder::work_on(Level& level) {
  if (!level.running && history_.count() % (level.window / 2) == 0) {
    level.scan.start(history_, level.window);
    level.running = true;
  }
  if (level.running && history_.count() - level.scan.end() > PeriodScan::kLongestScan) level.running = false;
  if (!level.running) return;
  int64_t steps = (level.scan.is_examining() ? kWeighingSteps : kSteps) * static_cast<int64_t>(kBatch);
  if (!level.scan.work(history_, steps)) return;
  level.running = false;
  if (const std::optional<RepeatedEnd> repeated = level.scan.result())
    pending_ = PendingIteration{*repeated, level.scan.end(), level.scan.end()};
}

void RepetitionFinder::choose_begin() {
  int64_t steps = kSettlingSteps * static_cast<int64_t>(kBatch);
  for (; pending_->checked < history_.count() && steps > 0; ++pending_->checked, --steps) {
    if (!repeats(pending_->checked)) return pending_.reset();
  }
  const uint64_t lag = pending_->repeated.lag;
  for (; pending_->phase < lag && steps > 0; ++pending_->phase) {
    const uint32_t pause_ns = median_pause_ns(pending_->phase);
    steps -= 2 * static_cast<int64_t>(kPausesLookedAt);
    if (pause_ns <= pending_->longest_pause_ns) continue;
    pending_->longest_pause_ns = pause_ns;
    pending_->best = pending_->phase;
  }
  if (pending_->phase < lag || pending_->checked < history_.count()) return;
  const uint64_t begin = pending_->begin() + pending_->best;
  found_ = IterationPosition{begin + (history_.count() - begin + lag - 1) / lag * lag, lag};
  pending_.reset();
}

uint32_t RepetitionFinder::median_pause_ns(uint64_t phase) const {
  const uint64_t lag = pending_->repeated.lag;
  const uint64_t times = (pending_->repeated.launches() - phase + lag - 1) / lag;
  const size_t looked_at = std::min<uint64_t>(times, kPausesLookedAt);
  std::array<uint32_t, kPausesLookedAt> pauses;
  for (size_t i = 0; i < looked_at; ++i)
    pauses[i] = history_.gap_ns(pending_->begin() + phase + (times - 1 - i) * lag);
  std::nth_element(pauses.begin(), pauses.begin() + looked_at / 2, pauses.begin() + looked_at);
  return pauses[looked_at / 2];
}

}  // namespace kjoule
