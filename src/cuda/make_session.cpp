#include "cuda/make_session.hpp"

#include <fmt/format.h>

#include "cuda/range_session.hpp"
#include "recording/repetition_finder.hpp"

namespace kjoule::cuda {

namespace {

/// The number of ranges that pass while the program warms up. Iterations found by repetition need no warm-up:
/// they have run several times when they are found.
constexpr int kWarmUpRanges = 2;

/// Finds an iteration by repetition of launches.
class RepetitionSearch final : public IterationFinder {
 public:
  void add(uint64_t shape_hash, uint64_t arguments, int64_t time_ns) override {
    finder_.add(shape_hash, arguments, time_ns);
  }
  std::optional<IterationPosition> found() const override { return finder_.found(); }
  void reject() override { finder_.reject(); }
  std::string best_guess() const override {
    const BestGuess guess = finder_.best_guess();
    if (guess.length == 0) return "nothing repeated";
    return fmt::format(
        "at best {} launches repeated, {} times from launch {} on (--iterations {}..{} takes one)",
        guess.length, guess.repeats, guess.first, guess.first, guess.first + guess.length);
  }

 private:
  RepetitionFinder finder_;
};

}  // namespace

std::optional<IterationPosition> GivenSpan::found() const {
  return IterationPosition{static_cast<uint64_t>(span_.first),
                           static_cast<uint64_t>(span_.last - span_.first)};
}

std::string GivenSpan::best_guess() const {
  return fmt::format("launches {}..{} were asked for", span_.first, span_.last);
}

std::unique_ptr<Session> make_session(const InjectionOptions& options) {
  const auto skipped = static_cast<int>(options.skip_iterations);
  const auto passed = skipped + static_cast<int>(options.timed_iterations);
  if (options.iteration_launches)
    return std::make_unique<RepeatingSession>(std::make_unique<GivenSpan>(*options.iteration_launches),
                                              skipped);
  if (!options.nvtx_range.empty())
    return std::make_unique<RangeSession>(options.nvtx_range, kWarmUpRanges, passed);
  return std::make_unique<RepeatingSession>(std::make_unique<RepetitionSearch>(), passed);
}

}  // namespace kjoule::cuda
