#include "compare/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/signed_text.hpp"

namespace kjoule {

namespace {

constexpr double kLargestTimedTogetherShare =
    0.2;  ///< largest share of launches that cannot be timed separately

/// The difference between sum and whole, s, with the half-width of the sum's interval.
struct SumDifference {
  double apart_s = 0, half_width_s = 0, whole_s = 0;

  bool has_interval() const { return std::isfinite(apart_s) && std::isfinite(half_width_s) && whole_s > 0; }
  bool outside() const { return std::abs(apart_s) > half_width_s; }
  bool wider_than(double share) const { return half_width_s > share * whole_s; }
};

std::string numbers_text(const SumDifference& d) {
  return fmt::format(
      "the sum differs from the whole by {} us ({} %), {} its 95 % interval of +-{:.2f} us "
      "(+-{:.2f} %)",
      signed_text(1e6 * d.apart_s, 2), signed_text(100 * d.apart_s / d.whole_s, 2),
      d.outside() ? "outside" : "inside", 1e6 * d.half_width_s, 100 * d.half_width_s / d.whole_s);
}

std::string remedy_for_width(const JudgedSum& judged) {
  const double instrument = judged.instrument_s / judged.whole_s.value;
  if (instrument <= judged.asked_half_width) return "raise --time-limit, or measure on a quieter machine";
  return fmt::format(
      "+-{:.2f} % is the uncertainty of the method, which a longer measurement does not reduce; its main "
      "cause is launches that wait for other engines of the GPU (copies to and from the host, memsets of one "
      "word) or need all of it at once (cooperative launches)",
      100 * instrument);
}

}  // namespace

std::string lack_of(const Comparison& c) {
  const auto missing =
      std::count_if(c.kernels.begin(), c.kernels.end(), [](auto& kernel) { return !kernel.error.empty(); });
  if (missing > 0)
    return fmt::format("{} kernel{} could not be replayed and {} missing from the sum", missing,
                       missing == 1 ? "" : "s", missing == 1 ? "is" : "are");
  if ((c.part && c.part->iterations_differ()) ||
      (c.iteration_spread && c.iteration_spread->share() > IterationSpread::kLargest))
    return "the loop's iterations differ, so one does not represent all of them";
  const bool uses_host_memory = std::ranges::any_of(c.kernels, &KernelResult::uses_host_memory);
  if (uses_host_memory && c.verification && !c.verification->found.different.empty())
    return "kernels use memory of the host, which may have changed since the beginning of these launches, "
           "and the replay gave other results than the program's own run";
  if (c.timed_together_share > kLargestTimedTogetherShare)
    return fmt::format(
        "{:.0f} % of the time is spent in launches that may begin before their predecessors end, so they "
        "cannot be timed separately",
        100 * c.timed_together_share);
  return {};
}

Judgement judge(const Comparison& c) {
  return judge_sum({c.sum_s, c.whole_s, c.asked_half_width, c.instrument_half_width_s, lack_of(c)});
}

Judgement judge_sum(const JudgedSum& judged) {
  const SumDifference d{judged.sum_s.value - judged.whole_s.value, judged.sum_s.half_width,
                        judged.whole_s.value};
  if (!d.has_interval())
    return {Verdict::inconclusive,
            "too little was measured for a confidence interval of the sum; raise --time-limit"};
  const std::string numbers = numbers_text(d);
  const double asked_percent = 100 * judged.asked_half_width;
  if (!judged.lack.empty()) return {Verdict::inconclusive, fmt::format("{}, but {}", numbers, judged.lack)};
  if (d.wider_than(judged.asked_half_width))
    return {Verdict::inconclusive,
            fmt::format("{}, which is wider than the requested +-{:.2f} % (--precision): {}", numbers,
                        asked_percent, remedy_for_width(judged))};
  return {d.outside() ? Verdict::does_not_add_up : Verdict::adds_up,
          fmt::format("{}; +-{:.2f} % or less was requested", numbers, asked_percent)};
}

Judgement judge_energy(const EnergyResult& energy) {
  const double apart_j = energy.sum_j.value - energy.whole_j.value;
  const double half_width_j = energy.sum_j.half_width;
  if (!std::isfinite(apart_j) || !std::isfinite(half_width_j))
    return {Verdict::inconclusive,
            "too little was measured for a confidence interval of the sum; raise --energy-time-limit"};
  const bool outside = std::abs(apart_j) > half_width_j;
  const std::string numbers =
      fmt::format("sum - whole = {} mJ ({} %), {} +-{:.2g} mJ (+-{:.1f} %)", signed_text(1e3 * apart_j, 2),
                  signed_text(100 * energy.error(), 2), outside ? "outside" : "inside", 1e3 * half_width_j,
                  100 * half_width_j / energy.whole_j.value);
  if (energy.stopped != "precision")
    return {
        Verdict::inconclusive,
        numbers + ", which is wider than the requested precision (--energy-precision, --energy-time-limit)"};
  return {outside ? Verdict::does_not_add_up : Verdict::adds_up, numbers};
}

}  // namespace kjoule
