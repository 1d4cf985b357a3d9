#include "compare/run/run_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compare/iteration/comparison.hpp"
#include "compare/judgement/judge.hpp"

namespace kjoule {

namespace {

std::optional<PhaseEnergy> energy_of(const Comparison& comparison) {
  if (!comparison.energy || !comparison.energy->missing.empty()) return {};
  return PhaseEnergy{comparison.energy->estimate.whole_j, comparison.energy->estimate.sum_j};
}

}  // namespace

MeasuredPhase::MeasuredPhase(uint32_t number, std::string folder, const Comparison& comparison)
    : number(number),
      facts(comparison.part.value_or(PartFacts{})),
      folder(std::move(folder)),
      whole_s(comparison.times.whole_s),
      sum_s(comparison.times.sum_s),
      energy(energy_of(comparison)),
      requested_within(comparison.requested.time),
      asked_half_width(comparison.stopped.precision),
      instrument_s(comparison.times.instrument_half_width_s),
      lack(lack_of(comparison)) {}

namespace {

void add(const Interval& iteration, double iterations, Interval& total) {
  total.value += iterations * iteration.value;
  total.half_width += iterations * iteration.half_width;
}

Judgement judge_run(const RunComparison& run) {
  if (run.measured.empty()) return {Verdict::inconclusive, "no phase was measured"};
  const MeasuredPhase& first = run.measured.front();
  JudgedSum judged{run.sum_s, run.whole_s, first.requested_within, first.asked_half_width, 0, {}};
  for (const MeasuredPhase& phase : run.measured) {
    judged.instrument_s += static_cast<double>(phase.facts.iterations) * phase.instrument_s;
    if (judged.lack.empty() && !phase.lack.empty())
      judged.lack = fmt::format("in phase {} {}", phase.number, phase.lack);
  }
  return judge_sum(judged);
}

}  // namespace

RunComparison compare_run(std::vector<MeasuredPhase> measured, std::vector<LeftPhase> left,
                          std::optional<FurtherStarts> starts, double replayed_share) {
  RunComparison run{std::move(measured), std::move(left), std::move(starts), replayed_share, {}, {}, {}};
  std::ranges::sort(run.measured, {}, &MeasuredPhase::number);
  for (const MeasuredPhase& phase : run.measured) {
    const auto iterations = static_cast<double>(phase.facts.iterations);
    add(phase.whole_s, iterations, run.whole_s);
    add(phase.sum_s, iterations, run.sum_s);
  }
  if (!run.measured.empty()) run.requested_within = run.measured.front().requested_within;
  run.judgement = judge_run(run);
  return run;
}

}  // namespace kjoule
