#include "cuda/iteration_finders.hpp"

#include <fmt/format.h>

#include "cuda/range_session.hpp"
#include "recording/period.hpp"

namespace kjoule::cuda {

namespace {

/// The first ranges of a program are cold. Iterations found by repetition are not: they have run several
/// times when they are found.
constexpr int kColdRanges = 2;

/// Finds an iteration by repetition of launches.
class RepetitionFinder final : public IterationFinder {
 public:
  void add(uint64_t signature, uint64_t arguments, int64_t time_ns) override {
    finder_.add(signature, arguments, time_ns);
  }
  std::optional<IterationPosition> found() const override {
    if (!finder_.found()) return std::nullopt;
    return IterationPosition{finder_.found()->first, finder_.found()->length};
  }
  void reject() override { finder_.reject(); }
  std::string best_guess() const override {
    const BestGuess guess = finder_.best_guess();
    if (guess.length == 0) return "nothing repeated";
    return fmt::format(
        "at best {} launches repeated, {} times from launch {} on (--iterations {}..{} takes one)",
        guess.length, guess.repeats, guess.first, guess.first, guess.first + guess.length);
  }

 private:
  PeriodFinder finder_;
};

}  // namespace

std::optional<IterationPosition> SelectedSpanFinder::found() const {
  return IterationPosition{static_cast<uint64_t>(span_.first),
                           static_cast<uint64_t>(span_.last - span_.first)};
}

std::string SelectedSpanFinder::best_guess() const {
  return fmt::format("launches {}..{} were asked for", span_.first, span_.last);
}

std::unique_ptr<Session> make_session(const InjectionOptions& options) {
  const auto skip = static_cast<int>(options.skip_iterations);
  const auto pass = static_cast<int>(options.timed_iterations) + skip;
  if (options.iterations)
    return std::make_unique<RepeatingSession>(std::make_unique<SelectedSpanFinder>(*options.iterations),
                                              skip);
  if (!options.range.empty()) return std::make_unique<RangeSession>(options.range, kColdRanges, pass);
  return std::make_unique<RepeatingSession>(std::make_unique<RepetitionFinder>(), pass);
}

}  // namespace kjoule::cuda
