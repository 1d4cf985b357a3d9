#include "cuda/session/loop_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/process/quiet_thread.hpp"

namespace kjoule::cuda {
namespace {

using Clock = std::chrono::steady_clock;

/// Pause between two searches; a quarter of the time that a loop must last if this is shorter. After a long
/// search the pause is longer, so that searches take at most a tenth of a processor, but never longer than
/// the loop must last.
constexpr Clock::duration kPause = std::chrono::milliseconds(100);
constexpr int kPauseFactor = 10;
constexpr int64_t kLeastLasting_ns = 1'000'000;

/// Returns the lengths of a loop's iterations: "14 to 19 launches" if they differ, or one number if the
/// iterations differ otherwise.
std::string lengths_of(const LastingLoop& loop) {
  return loop.shortest == loop.longest ? fmt::format("{} launches", loop.longest)
                                       : fmt::format("{} to {} launches", loop.shortest, loop.longest);
}

}  // namespace

LoopSearch::LoopSearch(double lasting_s)
    : lasting_ns_(std::max(kLeastLasting_ns, static_cast<int64_t>(lasting_s * 1e9))) {}

LoopSearch::~LoopSearch() {
  {
    const MutexLock lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  if (searcher_.joinable()) searcher_.join();
}

void LoopSearch::add(const WatchedLaunch& launch) {
  watched_.add(launch);
  if (!searcher_.joinable()) searcher_ = start_quiet_thread([this] { search(); });
}

void LoopSearch::search() {
  const Clock::duration lasting = std::chrono::nanoseconds(lasting_ns_);
  const Clock::duration least = std::min(kPause, lasting / 4);
  Clock::duration pause = least;
  MutexLock lock(mutex_);
  for (;;) {
    changed_.wait_for(lock.to_wait(), pause, [&]() KJOULE_REQUIRES(mutex_) { return is_over_; });
    if (is_over_) return;
    if (is_found_ || !can_last(watched_.extent(), lasting_ns_)) continue;
    lock.unlock();
    const auto begin = Clock::now();
    const std::optional<LastingLoop> loop = find_lasting_loop(watched_.launches(), lasting_ns_);
    pause = std::clamp<Clock::duration>(kPauseFactor * (Clock::now() - begin), least, lasting);
    lock.lock();
    if (!loop) continue;
    loop_ = loop;
    is_found_ = true;
  }
}

std::optional<IterationPosition> LoopSearch::found(uint64_t launches) const {
  if (!is_found_) return {};
  const MutexLock lock(mutex_);
  if (loop_->length == 0) return {};
  const uint64_t since = launches - loop_->first;
  const uint64_t iterations = (since + loop_->length - 1) / loop_->length;
  return IterationPosition{loop_->first + iterations * loop_->length, loop_->length};
}

std::optional<IterationBegin> LoopSearch::begin() const {
  if (!is_found_) return {};
  const MutexLock lock(mutex_);
  return loop_->length == 0 ? std::optional(loop_->begin) : std::nullopt;
}

/// Discards the loop that was found, and searches among the following launches.
void LoopSearch::reject() {
  watched_.clear();
  is_found_ = false;
}

std::string LoopSearch::describe_iteration() const {
  const MutexLock lock(mutex_);
  const auto ms = [](int64_t ns) { return static_cast<double>(ns) * 1e-6; };
  std::string text =
      loop_->length > 0
          ? fmt::format("{} launches, which had repeated {} times in a row", loop_->length, loop_->iterations)
          : fmt::format("one iteration of a loop of {}, which had repeated {} times", lengths_of(*loop_),
                        loop_->iterations);
  text += fmt::format(
      ", one repetition every {:.3g} ms, after a pause of the host of {:.3g} ms; {:.0f} % of the launches "
      "use the same memory in each repetition",
      ms(loop_->iteration_ns), ms(loop_->pause_ns), 100 * loop_->repeating_share);
  if (loop_->other_length > 0)
    text += fmt::format("; --iterations {}..{} chooses an iteration of another loop ({} launches, {} times)",
                        loop_->other_first, loop_->other_first + loop_->other_length, loop_->other_length,
                        loop_->other_iterations);
  return text;
}

std::optional<IterationPosition> LoopSearch::loop() const {
  const MutexLock lock(mutex_);
  if (!loop_) return {};
  return IterationPosition{loop_->first, loop_->length};
}

std::string LoopSearch::best_guess() const {
  const MutexLock lock(mutex_);
  if (!loop_)
    return fmt::format("no sequence of launches was repeated for {} s",
                       static_cast<double>(lasting_ns_) * 1e-9);
  if (loop_->length == 0)
    return fmt::format("a loop of {} ended before one of its iterations was recorded", lengths_of(*loop_));
  return fmt::format(
      "a loop of {} launches ended before one of its iterations was recorded (--iterations {}..{} chooses "
      "one)",
      loop_->length, loop_->first, loop_->first + loop_->length);
}

}  // namespace kjoule::cuda
