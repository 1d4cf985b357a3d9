#include "compare/judgement/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text/signed_text.hpp"
#include "compare/judgement/agreement.hpp"

namespace kjoule {

namespace {

/// Largest share of the time that may belong to launches that cannot be timed separately. Above it, the
/// verdict is inconclusive.
constexpr double kLargestTimedTogetherShare = 0.2;

/// Returns a share in percent, rounded up, so that the printed bound is never below the true one.
std::string percent_above(double share) {
  constexpr double kSteps = 1e4;  // of 0.01 %
  constexpr double kRounding = 1e-9;
  return fmt::format("{:.2f} %", 100 * std::ceil(kSteps * share - kRounding) / kSteps);
}

/// Returns e.g. "sum - whole = +1.50 us (+0.15 +- 0.20 %)". `difference` is the first number with its unit.
std::string numbers_text(const std::string& difference, const Agreement& agreement) {
  return fmt::format("sum - whole = {} ({} +- {:.2f} %{})", difference,
                     signed_text(100 * agreement.difference, 2), 100 * agreement.half_width,
                     agreement.is_outside() ? ", a 95 % interval that excludes 0" : "");
}

/// Returns the agreement of a sum with its whole. Its half-width is infinite if the whole is not above 0.
Agreement agreement_of(const Interval& sum, const Interval& whole, double requested) {
  if (!(whole.value > 0)) return {0, std::numeric_limits<double>::infinity(), requested};
  return {(sum.value - whole.value) / whole.value, sum.half_width / whole.value, requested};
}

std::string remedy_for_width(const JudgedSum& judged, const Agreement& agreement) {
  const double instrument = judged.instrument_s / judged.whole_s.value;
  const bool time_helps = std::abs(agreement.difference) + instrument <= agreement.requested ||
                          instrument < agreement.requested / 2;
  if (time_helps)
    return agreement.half_width <= judged.asked_half_width
               ? "lower --precision to narrow the interval"
               : "raise --time-limit, or measure on a quieter machine, to narrow the interval";
  return fmt::format(
      "the method itself has an uncertainty of +-{:.2f} %, which a longer measurement does not reduce; its "
      "main cause is launches that wait for other engines of the GPU (copies to and from the host, memsets "
      "of one word) or need the whole GPU at once (cooperative launches); raise --within",
      100 * instrument);
}

/// Returns the verdict on an agreement whose text is `numbers`. `option` is the option that requested the
/// share; `remedy` is what the user can do about an inconclusive verdict.
Judgement judgement_of(const Agreement& agreement, const std::string& numbers, const char* option,
                       const std::string& remedy) {
  const Verdict verdict = agreement.verdict();
  if (verdict == Verdict::adds_up) return {verdict, numbers, agreement.within()};
  const std::string apart =
      fmt::format("{}: sum and whole may differ by up to {}, but {} was requested ({})", numbers,
                  percent_above(agreement.within()), percent_above(agreement.requested), option);
  if (verdict == Verdict::does_not_add_up) return {verdict, apart, agreement.within()};
  return {verdict, fmt::format("{}; {}", apart, remedy), agreement.within()};
}

}  // namespace

std::string lack_of(const Comparison& c) {
  const auto missing =
      std::count_if(c.kernels.begin(), c.kernels.end(), [](auto& kernel) { return !kernel.error.empty(); });
  if (missing > 0)
    return fmt::format("{} kernel{} could not be replayed and {} missing from the sum", missing,
                       missing == 1 ? "" : "s", missing == 1 ? "is" : "are");
  const bool uses_host_memory = std::ranges::any_of(c.kernels, &KernelResult::uses_host_memory);
  if (uses_host_memory && c.verification && !c.verification->found.different.empty())
    return "kernels use host memory, which the host may have changed within the iteration, and the replay "
           "gave other results than the program's own run";
  if (c.timed_together_share > kLargestTimedTogetherShare)
    return fmt::format(
        "{:.0f} % of the time is spent in launches that may begin before their predecessors end, so they "
        "cannot be timed separately",
        100 * c.timed_together_share);
  return {};
}

Judgement judge(const Comparison& c) {
  return judge_sum({c.times.sum_s, c.times.whole_s, c.requested.time, c.stopped.precision,
                    c.times.instrument_half_width_s, lack_of(c)});
}

Judgement judge_sum(const JudgedSum& judged) {
  const Agreement agreement = agreement_of(judged.sum_s, judged.whole_s, judged.requested_within);
  if (!agreement.has_interval())
    return {Verdict::inconclusive,
            "too little was measured for a confidence interval of the sum; raise --time-limit"};
  const double difference_s = judged.sum_s.value - judged.whole_s.value;
  const std::string numbers = numbers_text(signed_text(1e6 * difference_s, 2) + " us", agreement);
  if (!judged.lack.empty())
    return {Verdict::inconclusive, fmt::format("{}, but {}", numbers, judged.lack), agreement.within()};
  return judgement_of(agreement, numbers, "--within", remedy_for_width(judged, agreement));
}

Judgement judge_energy(const EnergyResult& energy) {
  const Agreement agreement =
      agreement_of(energy.estimate.sum_j, energy.estimate.whole_j, energy.requested_within);
  if (!agreement.has_interval())
    return {Verdict::inconclusive,
            "too little was measured for a confidence interval of the sum; raise --energy-time-limit"};
  const double difference_j = energy.estimate.sum_j.value - energy.estimate.whole_j.value;
  return judgement_of(
      agreement, numbers_text(signed_text(1e3 * difference_j, 2) + " mJ", agreement), "--energy-within",
      energy.stopped == "precision" ? "lower --energy-precision" : "raise --energy-time-limit");
}

std::string verdict_text(const Judgement& judgement) {
  if (judgement.verdict != Verdict::adds_up) return to_string(judgement.verdict);
  return fmt::format("{} within {}", to_string(judgement.verdict), percent_above(judgement.within));
}

}  // namespace kjoule
