#include "measure/time/rounds.hpp"

#include <algorithm>

#include "measure/time/estimate.hpp"
#include "measure/time/instrument.hpp"

namespace kjoule {

namespace {

constexpr double kClockedLimit_s = 10;
/// The time limit on a GPU is kStampedLimit_s plus the time of kStampedIterations iterations, at most
/// kMostStampedLimit_s. Most programs reach the precision within 2 s; programs whose times scatter need all
/// of it.
constexpr double kStampedLimit_s = 8, kStampedIterations = 800, kMostStampedLimit_s = 15;

double time_limit_s(const RoundOptions& options, const Plan& plan) {
  if (options.time_limit_s > 0) return options.time_limit_s;
  const auto* stamped = std::get_if<StampedPlan>(&plan);
  if (stamped == nullptr) return kClockedLimit_s;
  return stamped_limit_s(options, stamped->undisturbed_s);
}

/// Measuring stops if the half-width is above the instrument's part by less than this share.
constexpr double kLittleMore = 0.1;

/// Returns whether an estimate is made after this number of rounds: after each of the first 40, and then
/// after every 5 % more rounds. The CPU time of an estimate is proportional to the number of rounds. Frequent
/// estimates also have a statistical cost: an interval that is too narrow by chance then ends the measurement
/// more often.
bool is_looked_at(size_t rounds) {
  return rounds % std::max<size_t>(1, rounds / 20) == 0;
}

/// Returns the reason why no further round is needed; nothing if one is needed.
std::optional<Stopped> enough(const TimedIteration& iteration, const std::vector<Round>& rounds,
                              double precision) {
  const SumEstimate sum = estimate(one_kernel_each(iteration.launches), iteration, rounds);
  if (sum.relative_half_width() <= precision) return Stopped::precise;
  if (sum.sum_s.half_width <= (1 + kLittleMore) * sum.instrument_half_width_s) return Stopped::instrument;
  return {};
}

}  // namespace

double stamped_limit_s(const RoundOptions& options, double iteration_s) {
  if (options.time_limit_s > 0) return options.time_limit_s;
  return std::min(kStampedLimit_s + kStampedIterations * iteration_s, kMostStampedLimit_s);
}

const char* to_string(Stopped stopped) {
  switch (stopped) {
    case Stopped::precise:
      return "precision";
    case Stopped::time_limit:
      return "time limit";
    case Stopped::instrument:
      return "instrument";
  }
  return "";
}

Stopped measure_rounds(Device& device, const Clock& clock, const TimedIteration& iteration, const Plan& plan,
                       const RoundOptions& options, std::vector<Round>& rounds,
                       const std::function<void(const Round&)>& on_round, Progress& progress) {
  const auto instrument = make_instrument(device, clock, iteration, plan);
  const double limit_s = time_limit_s(options, plan);
  int64_t spent_ns = rounds.empty() ? 0 : rounds.back().spent_ns;
  for (;;) {
    const double spent_s = static_cast<double>(spent_ns) * 1e-9;
    if (rounds.size() >= instrument->fewest_rounds() && is_looked_at(rounds.size()))
      if (const auto why = enough(iteration, rounds, options.precision)) return *why;
    if (spent_s >= limit_s && rounds.size() >= kFewestRounds) return Stopped::time_limit;
    Round round = instrument->measure(static_cast<int>(rounds.size()));
    spent_ns += round.end_ns - round.begin_ns;
    round.spent_ns = spent_ns;
    rounds.push_back(round);
    on_round(round);
    progress.update(std::min({1.0, static_cast<double>(spent_ns) * 1e-9 / limit_s,
                              static_cast<double>(rounds.size()) / kFewestRounds}));
  }
}

}  // namespace kjoule
