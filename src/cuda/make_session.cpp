#include "cuda/make_session.hpp"

#include <fmt/format.h>

#include "cuda/loop_search.hpp"
#include "cuda/marked_session.hpp"
#include "cuda/phase_session.hpp"
#include "cuda/range_session.hpp"

namespace kjoule::cuda {

namespace {

/// The number of ranges that pass while the program warms up. Iterations found by repetition need no warm-up:
/// they have run several times when they are found.
constexpr int kWarmUpRanges = 2;
/// Launches that fill the driver's queue of 1024 launches of a stream.
constexpr uint64_t kQueue = 1100;

}  // namespace

std::optional<IterationPosition> GivenSpan::found(uint64_t) const {
  return IterationPosition{static_cast<uint64_t>(span_.first),
                           static_cast<uint64_t>(span_.last - span_.first)};
}

std::string GivenSpan::describe_iteration() const {
  return fmt::format("launches {}..{}, as given with --iterations", span_.first, span_.last);
}

std::string GivenSpan::best_guess() const {
  return fmt::format("the launches {}..{}, which were given with --iterations, were not reached", span_.first,
                     span_.last);
}

std::unique_ptr<Session> make_session(const InjectionOptions& options) {
  const auto skipped = static_cast<int>(options.skip_iterations);
  const auto passed = skipped + static_cast<int>(options.timed_iterations);
  if (!options.phases.empty()) return std::make_unique<PhaseSession>(read_phases(options.phases));
  if (options.iteration_launches)
    return std::make_unique<RepeatingSession>(std::make_unique<GivenSpan>(*options.iteration_launches),
                                              skipped);
  if (!options.nvtx_range.empty())
    return std::make_unique<RangeSession>(options.nvtx_range, kWarmUpRanges, passed);
  return std::make_unique<MarkedSession>(
      kIterationRange, std::make_unique<RangeSession>(kIterationRange, kWarmUpRanges, passed),
      std::make_unique<RepeatingSession>(std::make_unique<LoopSearch>(options.loop_s), passed, kQueue));
}

}  // namespace kjoule::cuda
