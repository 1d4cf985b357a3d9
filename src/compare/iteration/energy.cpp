#include "compare/iteration/energy.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/numbers/statistics.hpp"
#include "base/text/signed_text.hpp"
#include "run/run_rows.hpp"

namespace kjoule {

namespace {

/// Difference of energy above which two meters are reported to disagree, as a share.
constexpr double kMetersAgree = 0.01;
/// Difference of GPU clocks above which a note is added, as a share: the voltage, and with it the energy per
/// operation, rises with the clock.
constexpr double kClocksAgree = 0.01;
constexpr double kLonger = 0.02;  ///< share by which a repeated whole may be longer without a note

void note_meters(EnergyResult& result) {
  const auto& first = result.meters.front();
  for (const MeterResult& other : result.meters) {
    if (&other == &first || !other.whole_j) continue;
    const double apart = other.whole_j->value / result.estimate.whole_j.value - 1;
    result.notes.push_back(fmt::format(
        "the energy of the whole, as measured by the meter {}, differs by {} % from that of the meter {}{}",
        other.facts.value("source", "another"), signed_text(100 * apart, 2),
        first.facts.value("source", "first"), std::abs(apart) > kMetersAgree ? ": the meters disagree" : ""));
  }
}

void note_clocks(EnergyResult& result) {
  if (!result.estimate.whole_clock_hz || !result.estimate.kernels_clock_hz) return;
  const double apart = *result.estimate.kernels_clock_hz / *result.estimate.whole_clock_hz - 1;
  if (std::abs(apart) <= kClocksAgree) return;
  result.notes.push_back(
      fmt::format("GPU clock: {:.0f} MHz while the power of the whole was read, {:.0f} MHz while that of "
                  "kernels was read; energies depend on the clock",
                  *result.estimate.whole_clock_hz * 1e-6, *result.estimate.kernels_clock_hz * 1e-6));
}

/// Adds a note for each throttle reason, with the number of readings in which it was reported.
void note_slowed(const std::vector<EnergyBlock>& blocks, EnergyResult& result) {
  std::map<std::string, size_t> whole, kernels;
  size_t readings = 0;
  const auto count = [](const SteadyReading& reading, std::map<std::string, size_t>& counts) {
    for (const std::string& what : reading.throttle_reasons) ++counts[what];
  };
  for (const EnergyBlock& block : blocks) {
    count(block.whole, whole);
    for (const auto* ways : {&block.with, &block.without}) {
      for (const SteadyReading& reading : *ways) count(reading, kernels);
      readings += ways->size();
    }
  }
  for (const auto& [what, times] : whole)
    result.notes.push_back(
        fmt::format("the GPU's clock was reduced (throttle reason: {}) in {} of {} power readings of the "
                    "whole, and in {} of {} power readings of kernels",
                    what, times, blocks.size(), kernels[what], readings));
  for (const auto& [what, times] : kernels)
    if (!whole.contains(what))
      result.notes.push_back(
          fmt::format("the GPU's clock was reduced (throttle reason: {}) in {} of {} power readings of "
                      "kernels, and in no power reading of the whole",
                      what, times, readings));
}

void note_longer(const std::vector<EnergyBlock>& blocks, double whole_s, EnergyResult& result) {
  const double longer = result.estimate.whole_s.value / whole_s - 1;
  if (longer <= kLonger) return;
  const bool slowed = std::ranges::any_of(
      blocks, [](const EnergyBlock& block) { return !block.whole.throttle_reasons.empty(); });
  result.notes.push_back(fmt::format(
      "repeated back to back, the whole takes {:.1f} % longer than as a single iteration: {}", 100 * longer,
      slowed ? "the GPU lowers its clock"
             : "the device waits for the host, and the measured energy includes this idle time"));
}

void note_scope(EnergyResult& result) {
  if (result.meters.front().facts.value("scope", "") == "whole system")
    result.notes.emplace_back(
        "the meter measures the whole system: processors, memory, fans and power supply are included");
}

/// Divides the energy of each group among its kernels, in proportion to their times in context.
void add_to_kernels(const std::vector<EnergyGroup>& groups, const EnergyEstimate& estimate,
                    std::vector<KernelResult>& kernels) {
  const double scale = estimate.whole_j.value / estimate.sum_j.value;
  for (size_t g = 0; g < groups.size(); ++g) {
    const EnergyGroup& group = groups[g];
    double times_s = 0;
    for (const uint32_t kernel : group.kernels)
      if (kernels.at(kernel).in_context_s) times_s += std::max(0.0, kernels[kernel].in_context_s->value);
    for (const uint32_t kernel : group.kernels) {
      if (!kernels[kernel].in_context_s || !(times_s > 0)) continue;
      const double part = std::max(0.0, kernels[kernel].in_context_s->value) / times_s;
      KernelJoules joules;
      joules.joules = {part * estimate.groups[g].joules.value, part * estimate.groups[g].joules.half_width};
      joules.seconds = part * estimate.groups[g].seconds;
      joules.attributed_j = scale * joules.joules.value;
      joules.together = group.kernels.size();
      kernels[kernel].energy = joules;
    }
  }
}

/// Adds the energy of the program's own iteration: its mean power times its mean time.
void add_own_iteration(const RowList& rows, const std::vector<double>& own_iterations_s,
                       EnergyResult& energy) {
  const auto own = rows.first<OwnPower>();
  if (!own || own_iterations_s.size() < 2) return;
  const Interval own_s = mean_interval(own_iterations_s);
  const Interval own_w = own->power.watts;
  energy.own_w = own_w;
  energy.own_j = Interval{own_w.value * own_s.value,
                          std::hypot(own_w.half_width * own_s.value, own_w.value * own_s.half_width)};
}

/// Adds the energy of the whole, if only that was measured.
void add_whole(const EnergyPlan& plan, const RowList& rows, EnergyResult& result) {
  const auto wholes = rows.first<EnergyWholes>();
  if (!wholes || plan.meters.empty()) return;
  result.whole = estimate_whole(plan, *wholes, 0);
  result.meters.clear();
  result.meters.push_back(
      {plan.meters.front(), result.whole ? std::optional(result.whole->joules) : std::nullopt});
}

/// Adds the energy of the whole that each meter measured, and the estimate from the first meter. Returns
/// whether the first meter has an estimate.
bool add_estimate(const EnergyPlan& plan, const std::vector<EnergyBlock>& blocks, EnergyResult& result) {
  for (size_t meter = 0; meter < plan.meters.size(); ++meter) {
    const auto estimate = estimate_energy(plan, blocks, meter);
    result.meters.push_back({plan.meters[meter], estimate ? std::optional(estimate->whole_j) : std::nullopt});
    if (meter > 0) continue;
    if (!estimate) {
      if (result.missing.empty())
        result.missing = "power readings of the whole or of a group of kernels are missing";
      return false;
    }
    result.estimate = *estimate;
  }
  return !plan.meters.empty();
}

}  // namespace

void add_energy(const RowList& rows, Comparison& comparison) {
  const auto blocks = rows.all<EnergyBlock>();
  const auto stopped = rows.last<StoppedEnergy>();
  if (!stopped && blocks.empty()) return;
  EnergyResult& result = comparison.energy.emplace();
  result.idle_w = idle_w_in(rows);
  result.requested_within = comparison.requested.energy;
  result.blocks = static_cast<int>(blocks.size());
  if (!blocks.empty()) result.seconds = static_cast<double>(blocks.back().spent_ns) * 1e-9;
  if (stopped) {
    result.stopped = stopped->by;
    result.notes = stopped->notes;
    result.missing = stopped->missing;
  }
  add_own_iteration(rows, comparison.own_iterations_s(), result);
  const EnergyPlan plan = rows.first<EnergyPlan>().value_or(EnergyPlan{});
  if (!add_estimate(plan, blocks, result)) return add_whole(plan, rows, result);
  add_to_kernels(plan.groups, result.estimate, comparison.kernels);
  if (!result.missing.empty())
    result.notes.push_back("the energy measurement ended early: " + result.missing);
  result.missing.clear();
  note_meters(result);
  note_clocks(result);
  note_slowed(blocks, result);
  note_longer(blocks, plan.iteration_s, result);
  note_scope(result);
}

}  // namespace kjoule
