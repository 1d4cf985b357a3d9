#include "cuda/session/make_session.hpp"

#include "cuda/session/loop_search.hpp"
#include "cuda/session/marked_session.hpp"
#include "cuda/session/phase_session.hpp"
#include "cuda/session/range_session.hpp"
#include "cuda/session/window_session.hpp"

namespace kjoule::cuda {

namespace {

/// The number of ranges that pass unrecorded while the program warms up. Iterations that are found by
/// repetition need no warm-up, because they have run several times before.
constexpr int kWarmUpRanges = 2;
/// Number of launches that fills the driver's queue of a stream (1024 launches).
constexpr uint64_t kQueue = 1100;

/// Returns the span of the same length that begins `spans` spans later.
LaunchSpan later(LaunchSpan span, int64_t spans) {
  const int64_t passed = spans * (span.last - span.first);
  return {span.first + passed, span.last + passed};
}

std::unique_ptr<Session> make_session(const ExpectedWindows& windows) {
  if (windows.phases.empty())
    return std::make_unique<WindowSession>(
        std::deque<WindowPlace>(windows.places.begin(), windows.places.end()));
  return std::make_unique<PhaseSession>(windows.phases);
}

}  // namespace

std::unique_ptr<Session> make_session(const InjectionOptions& options, LeaderCut* cut) {
  const auto skipped = static_cast<int>(options.skip_iterations);
  const auto passed = skipped + static_cast<int>(options.timed_iterations);
  if (!options.windows.empty()) return make_session(read_windows(options.windows));
  if (options.iteration_launches) {
    const LaunchSpan span = later(*options.iteration_launches, options.skip_iterations);
    const bool is_replayed = options.after != InjectionOptions::After::run_on;
    return std::make_unique<WindowSession>(
        std::deque{is_replayed ? WindowPlace::around(span) : WindowPlace::exactly(span)});
  }
  if (!options.nvtx_range.empty())
    return std::make_unique<RangeSession>(options.nvtx_range, kWarmUpRanges, passed);
  return std::make_unique<MarkedSession>(
      kIterationRange, std::make_unique<RangeSession>(kIterationRange, kWarmUpRanges, passed),
      std::make_unique<RepeatingSession>(std::make_unique<LoopSearch>(options.loop_s), passed, kQueue, cut));
}

std::unique_ptr<Session> make_session(const WindowSearch& search, uint64_t launches) {
  if (search.place) return std::make_unique<WindowSession>(std::deque{*search.place}, launches);
  return std::make_unique<PhaseSession>(search.loops, launches);
}

}  // namespace kjoule::cuda
