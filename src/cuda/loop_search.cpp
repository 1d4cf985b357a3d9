#include "cuda/loop_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace kjoule::cuda {
namespace {

using Clock = std::chrono::steady_clock;

/// Pause between two searches, where a loop need not last less. It is longer after a long search, so that
/// searches take at most a tenth of a processor.
constexpr Clock::duration kPause = std::chrono::milliseconds(100);
constexpr int kPauseFactor = 10;

}  // namespace

LoopSearch::LoopSearch(double lasting_s) : lasting_ns_(static_cast<int64_t>(lasting_s * 1e9)) {}

LoopSearch::~LoopSearch() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  if (searcher_.joinable()) searcher_.join();
}

void LoopSearch::add(const WatchedLaunch& launch) {
  watched_.add(launch);
  if (!searcher_.joinable()) searcher_ = std::thread([this] { search(); });
}

void LoopSearch::search() {
  const Clock::duration least = std::min(kPause, Clock::duration(std::chrono::nanoseconds(lasting_ns_ / 4)));
  Clock::duration pause = least;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait_for(lock, pause, [&] { return is_over_; });
    if (is_over_) return;
    if (is_found_) continue;
    lock.unlock();
    const auto begin = Clock::now();
    const std::optional<LastingLoop> loop = find_lasting_loop(watched_.launches(), lasting_ns_);
    pause = std::max<Clock::duration>(least, kPauseFactor * (Clock::now() - begin));
    lock.lock();
    if (!loop) continue;
    loop_ = loop;
    is_found_ = true;
  }
}

std::optional<IterationPosition> LoopSearch::found(uint64_t launches) const {
  if (!is_found_) return {};
  const std::lock_guard lock(mutex_);
  const uint64_t since = launches - loop_->first;
  const uint64_t iterations = (since + loop_->length - 1) / loop_->length;
  return IterationPosition{loop_->first + iterations * loop_->length, loop_->length};
}

/// Searches anew among the launches to come.
void LoopSearch::reject() {
  watched_.clear();
  is_found_ = false;
}

std::string LoopSearch::best_guess() const {
  const std::lock_guard lock(mutex_);
  if (!loop_) return fmt::format("no loop lasted for {} s", static_cast<double>(lasting_ns_) * 1e-9);
  return fmt::format(
      "a loop of {} launches did not go on when it was to be recorded (--iterations {}..{} takes one)",
      loop_->length, loop_->first, loop_->first + loop_->length);
}

}  // namespace kjoule::cuda
