#include "compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "compare/residual.hpp"

namespace kjoule {

namespace {

constexpr double kPredicts = 0.10;  ///< below this error the sum predicts the whole
constexpr double kFails = 0.20;     ///< above it, it does not

/// From the device's timeline, unless the rounds timed the launches themselves.
std::optional<double> timeline_s(const Kernel& kernel, const std::vector<double>& launch_s) {
  if (launch_s.empty()) return std::nullopt;
  double seconds = 0;
  for (const LaunchIndex place : kernel.places) seconds += launch_s.at(place);
  return seconds;
}

KernelResult kernel_result(const Kernel& kernel, const KernelEstimate& estimate,
                           const std::vector<double>& launch_s) {
  KernelResult result;
  result.name = kernel.name;
  result.tier = kernel.tier;
  result.signature = kernel.signature;
  result.count = kernel.places.size();
  result.in_context_s = estimate.total_s;
  result.timeline_s = estimate.timeline_s ? estimate.timeline_s : timeline_s(kernel, launch_s);
  return result;
}

void add_isolated(const std::vector<IsolatedKernel>& isolated, std::vector<KernelResult>& kernels) {
  for (const IsolatedKernel& one : isolated) {
    KernelResult& kernel = kernels.at(one.kernel);
    if (!one.error.empty()) {
      if (kernel.error.empty()) kernel.error = one.error;
      continue;
    }
    kernel.isolated_s = one.single_s;
    kernel.on_the_spot_s = one.on_the_spot_s;
    kernel.isolated_runs = one.runs;
  }
}

std::optional<double> sum_of(const std::vector<KernelResult>& kernels,
                             std::optional<double> KernelResult::*single) {
  double sum = 0;
  bool any = false;
  for (const KernelResult& kernel : kernels) {
    if (!(kernel.*single)) continue;
    sum += *(kernel.*single) * static_cast<double>(kernel.count);
    any = true;
  }
  return any ? std::optional(sum) : std::nullopt;
}

std::optional<double> timeline_difference(const std::vector<KernelResult>& kernels) {
  double apart = 0;
  double total = 0;
  for (const KernelResult& kernel : kernels) {
    if (!kernel.timeline_s || !kernel.in_context_s) continue;
    apart += std::abs(kernel.in_context_s->value - *kernel.timeline_s);
    total += *kernel.timeline_s;
  }
  return total > 0 ? std::optional(apart / total) : std::nullopt;
}

/// The largest of the known causes, for a sum that fails.
std::string main_cause(const Comparison& c) {
  if (c.played_s && std::abs(c.played_s->value / c.whole_s.value - 1) > std::abs(c.error()) / 2)
    return "most of the residual is interpreter and dispatch: the launches played in one stretch differ as "
           "much";
  if (c.imprecise) return "the measurement is too noisy, give it more time or a quieter machine";
  return "the kernels' times depend on more than the windows used";
}

std::string verdict_of(const Comparison& c) {
  const double error = std::abs(c.error());
  const auto missing =
      std::count_if(c.kernels.begin(), c.kernels.end(), [](auto& k) { return !k.error.empty(); });
  if (missing > 0) return fmt::format("no verdict: {} kernels could not be played and are missing", missing);
  if (error < kPredicts)
    return c.imprecise
               ? "the sum agrees with the whole, but its interval is too wide to prove it: raise --time-limit"
               : "the sum predicts the whole";
  if (error > kFails) return "the sum does not predict the whole: " + main_cause(c);
  return "the sum predicts the whole roughly: " + main_cause(c);
}

}  // namespace

Comparison make_comparison(const KernelTable& table, const Measured& measured) {
  const SumEstimate& estimate = measured.estimate;
  Comparison c;
  c.full = measured.full;
  c.timeline = measured.timeline;
  c.whole_s = estimate.whole_s;
  c.among_s = estimate.among_s;
  c.first_whole_s = measured.first_whole_s;
  c.eager_s = estimate.eager_s;
  c.played_s = estimate.played_s;
  if (measured.overlapped.seconds.size() > 1) c.overlapped_s = mean_interval(measured.overlapped.seconds);
  c.overlapped_missing = measured.overlapped.error;
  c.sum_s = estimate.sum_s;
  c.rounds = estimate.rounds;
  c.imprecise = estimate.relative_half_width() > kLargestHalfWidth;
  c.windows = nlohmann::json::array();
  for (const WindowTrial& trial : estimate.trials)
    c.windows.push_back({{"window", trial.window},
                         {"rounds", trial.rounds},
                         {"sum_over_whole", trial.share},
                         {"standard_error", trial.standard_error}});
  c.whole_clock_hz = estimate.whole_clock_hz;
  c.sweep_clock_hz = estimate.sweep_clock_hz;
  const std::vector<double> launch_s = c.timeline ? c.timeline->launch_s : std::vector<double>();
  for (size_t k = 0; k < table.kernels.size(); ++k)
    c.kernels.push_back(kernel_result(table.kernels[k], estimate.kernels[k], launch_s));
  add_isolated(measured.isolated, c.kernels);
  if (measured.energy) c.energy = make_energy_result(*measured.energy, c.kernels);
  for (const auto& [kernel, why] : measured.excluded) {
    c.kernels.at(kernel).error = why;
    c.kernels.at(kernel).in_context_s.reset();
    c.kernels.at(kernel).timeline_s.reset();
  }
  c.isolated_sum_s = sum_of(c.kernels, &KernelResult::isolated_s);
  c.on_the_spot_sum_s = sum_of(c.kernels, &KernelResult::on_the_spot_s);
  c.timeline_difference = timeline_difference(c.kernels);
  std::stable_sort(c.kernels.begin(), c.kernels.end(), [](const KernelResult& a, const KernelResult& b) {
    const auto time = [](const KernelResult& k) { return k.in_context_s ? k.in_context_s->value : -1.0; };
    return time(a) > time(b);
  });
  c.residual = residual_of(c);
  c.verdict = verdict_of(c);
  return c;
}

}  // namespace kjoule
