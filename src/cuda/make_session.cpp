#include "cuda/make_session.hpp"

#include "cuda/loop_search.hpp"
#include "cuda/marked_session.hpp"
#include "cuda/phase_session.hpp"
#include "cuda/range_session.hpp"
#include "cuda/window_session.hpp"

namespace kjoule::cuda {

namespace {

/// The number of ranges that pass while the program warms up. Iterations found by repetition need no warm-up:
/// they have run several times when they are found.
constexpr int kWarmUpRanges = 2;
/// Launches that fill the driver's queue of 1024 launches of a stream.
constexpr uint64_t kQueue = 1100;

/// Returns the launches that follow a span after so many spans of its length.
LaunchSpan later(LaunchSpan span, int64_t spans) {
  const int64_t passed = spans * (span.last - span.first);
  return {span.first + passed, span.last + passed};
}

}  // namespace

std::unique_ptr<Session> make_session(const InjectionOptions& options) {
  const auto skipped = static_cast<int>(options.skip_iterations);
  const auto passed = skipped + static_cast<int>(options.timed_iterations);
  if (!options.phases.empty()) return std::make_unique<PhaseSession>(read_phases(options.phases));
  if (options.iteration_launches) {
    const LaunchSpan span = later(*options.iteration_launches, options.skip_iterations);
    const bool is_replayed = options.after != InjectionOptions::After::run_on;
    return std::make_unique<WindowSession>(is_replayed ? WindowPlace::around(span)
                                                       : WindowPlace::exactly(span));
  }
  if (!options.nvtx_range.empty())
    return std::make_unique<RangeSession>(options.nvtx_range, kWarmUpRanges, passed);
  return std::make_unique<MarkedSession>(
      kIterationRange, std::make_unique<RangeSession>(kIterationRange, kWarmUpRanges, passed),
      std::make_unique<RepeatingSession>(std::make_unique<LoopSearch>(options.loop_s), passed, kQueue));
}

std::unique_ptr<Session> make_session(const WindowSearch& search, uint64_t launches) {
  if (search.place) {
    WindowPlace place = *search.place;
    place.lead_first += launches;
    return std::make_unique<WindowSession>(place, launches);
  }
  return std::make_unique<PhaseSession>(search.loops, launches);
}

}  // namespace kjoule::cuda
