#include "compare/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/numbers/statistics.hpp"
#include "compare/judge.hpp"
#include "compare/residual.hpp"

namespace kjoule {

namespace {

std::optional<double> timeline_s(const Kernel& kernel, const std::vector<double>& launch_s) {
  if (launch_s.empty()) return std::nullopt;
  double seconds = 0;
  for (const LaunchIndex place : kernel.places) seconds += launch_s.at(place);
  return seconds;
}

KernelResult kernel_result(const Kernel& kernel, const Interval& in_context_s,
                           const std::vector<double>& launch_s, const std::set<LaunchIndex>& timed_together) {
  KernelResult result;
  result.name = kernel.name;
  result.tier = kernel.tier;
  result.signature = kernel.signature;
  result.bytes_moved = kernel.bytes_moved;
  result.count = kernel.places.size();
  result.in_context_s = in_context_s;
  result.timeline_s = timeline_s(kernel, launch_s);
  result.timed_together = std::any_of(kernel.places.begin(), kernel.places.end(),
                                      [&](LaunchIndex place) { return timed_together.contains(place); });
  return result;
}

void add_isolated(const std::vector<IsolatedKernel>& isolated, std::vector<KernelResult>& kernels) {
  for (const IsolatedKernel& one : isolated) {
    KernelResult& kernel = kernels.at(one.kernel);
    if (!one.error.empty()) {
      kernel.isolated_error = one.error;
      continue;
    }
    kernel.isolated_s = one.single_s;
    kernel.isolated_runs = one.runs;
  }
}

/// Returns the sum of the kernels in isolation; nothing if one that is in the sum of context has no time.
std::optional<double> isolated_sum(const std::vector<KernelResult>& kernels) {
  double sum = 0;
  bool any = false;
  for (const KernelResult& kernel : kernels) {
    if (kernel.in_context_s && !kernel.isolated_s) return {};
    any |= kernel.isolated_s.has_value();
    sum += kernel.isolated_s.value_or(0) * static_cast<double>(kernel.count);
  }
  return any ? std::optional(sum) : std::nullopt;
}

/// Returns the mean difference between the kernels' shares of the time in context and on the timeline. The
/// times are scaled to the same sum first, because the device's own records lengthen the whole.
std::optional<double> timeline_difference(const std::vector<KernelResult>& kernels) {
  double in_context = 0, timeline = 0;
  for (const KernelResult& kernel : kernels) {
    if (!kernel.timeline_s || !kernel.in_context_s) continue;
    in_context += kernel.in_context_s->value;
    timeline += *kernel.timeline_s;
  }
  if (!(timeline > 0 && in_context > 0)) return std::nullopt;
  double apart = 0;
  for (const KernelResult& kernel : kernels)
    if (kernel.timeline_s && kernel.in_context_s)
      apart += std::abs(kernel.in_context_s->value / in_context - *kernel.timeline_s / timeline);
  return apart;
}

double share_of(const std::set<LaunchIndex>& launches, const std::vector<double>& launch_s) {
  double sum = 0, all = 0;
  for (LaunchIndex i = 0; i < launch_s.size(); ++i) {
    all += launch_s[i];
    if (launches.contains(i)) sum += launch_s[i];
  }
  return all > 0 ? sum / all : 0;
}

/// Adds the energy of the program's own iteration: its mean power times its mean time.
void add_own_iteration(const Measured& measured, const std::vector<double>& own_iterations_s,
                       EnergyResult& energy) {
  if (!measured.own_w || own_iterations_s.size() < 2) return;
  const Interval own_s = mean_interval(own_iterations_s);
  const Interval& own_w = *measured.own_w;
  energy.own_w = own_w;
  energy.own_j = Interval{own_w.value * own_s.value,
                          std::hypot(own_w.half_width * own_s.value, own_w.value * own_s.half_width)};
}

}  // namespace

Comparison make_comparison(const KernelTable& table, const Measured& measured) {
  const SumEstimate& estimate = measured.estimate;
  Comparison c;
  c.program_iterations = measured.program_iterations;
  c.timeline = measured.timeline;
  c.whole_s = estimate.whole_s;
  c.undisturbed_s = measured.undisturbed_s;
  c.control = measured.control;
  c.other_starts = measured.other_starts;
  c.quoted_spread = measured.quoted_spread;
  c.part = measured.part;
  c.iteration_spread = measured.iteration_spread;
  c.iteration = measured.iteration;
  c.half_of_places = estimate.half_of_places;
  c.timed_together_share = share_of(measured.timed_together, estimate.launch_s);
  c.own_iteration_s = estimate.own_iteration_s;
  if (measured.overlapped.seconds.size() > 1) c.overlapped_s = mean_interval(measured.overlapped.seconds);
  c.overlapped_missing = measured.overlapped.error;
  c.sum_s = estimate.sum_s;
  c.instrument_half_width_s = estimate.instrument_half_width_s;
  c.rounds = estimate.rounds;
  c.asked_half_width = measured.asked_half_width;
  c.requested_within = measured.requested_within;
  c.whole_clock_hz = estimate.whole_clock_hz;
  c.sum_clock_hz = estimate.sum_clock_hz;
  const std::vector<double> launch_s = c.timeline ? c.timeline->launch_s : std::vector<double>();
  for (size_t k = 0; k < table.kernels.size(); ++k)
    c.kernels.push_back(
        kernel_result(table.kernels[k], estimate.kernel_s[k], launch_s, measured.timed_together));
  for (const uint32_t kernel : measured.host_memory_kernels) c.kernels.at(kernel).uses_host_memory = true;
  c.verification = measured.verification;
  add_isolated(measured.isolated, c.kernels);
  if (measured.energy) c.energy = make_energy_result(*measured.energy, c.kernels);
  if (c.energy) add_own_iteration(measured, c.own_iterations_s(), *c.energy);
  for (const auto& [kernel, why] : measured.excluded) {
    c.kernels.at(kernel).error = why;
    c.kernels.at(kernel).in_context_s.reset();
    c.kernels.at(kernel).timeline_s.reset();
  }
  c.isolated_sum_s = isolated_sum(c.kernels);
  c.timeline_difference = timeline_difference(c.kernels);
  std::stable_sort(c.kernels.begin(), c.kernels.end(), [](const KernelResult& a, const KernelResult& b) {
    const auto time = [](const KernelResult& k) { return k.in_context_s ? k.in_context_s->value : -1.0; };
    return time(a) > time(b);
  });
  c.residual = residual_of(c);
  c.judgement = judge(c);
  return c;
}

}  // namespace kjoule
