#include "compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace kjoule {

namespace {

constexpr double kPredicts = 0.10;  ///< below this error the sum predicts the whole
constexpr double kFails = 0.20;     ///< above it, it does not

std::string percent(double share) {
  return fmt::format("{:+.1f} %", 100 * share);
}

KernelResult kernel_result(const Kernel& kernel, const KernelEstimate& estimate) {
  KernelResult result;
  result.name = kernel.name;
  result.tier = kernel.tier;
  result.signature = kernel.signature;
  result.count = kernel.places.size();
  result.in_context_s = estimate.total_s;
  result.timeline_s = estimate.timeline_s;
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

std::vector<std::string> explain(const Comparison& c) {
  std::vector<std::string> lines;
  const double whole = c.whole_s.value;
  if (c.eager_s)
    lines.push_back(fmt::format("launch gaps: the program's own iteration takes {} of the serialised whole",
                                percent(c.eager_s->value / whole - 1)));
  if (c.played_s)
    lines.push_back(
        fmt::format("interpreter and dispatch: the recorded launches played in one stretch take {} of the "
                    "program's own run",
                    percent(c.played_s->value / whole - 1)));
  if (c.isolated_sum_s)
    lines.push_back(
        fmt::format("caches: alone, without their predecessors, the kernels add up to {} of the whole",
                    percent(*c.isolated_sum_s / whole - 1)));
  lines.push_back(fmt::format("noise: +-{:.1f} % of the whole at 95 % confidence after {} rounds",
                              100 * c.sum_s.half_width / whole, c.rounds));
  for (const KernelResult& kernel : c.kernels)
    if (!kernel.error.empty())
      lines.push_back(fmt::format("missing: {} x{}{}: {}", kernel.name, kernel.count,
                                  c.eager_s ? " (from the serialised whole too)" : "", kernel.error));
  return lines;
}

/// The largest of the known causes, for a sum that fails.
std::string main_cause(const Comparison& c) {
  if (c.played_s && std::abs(c.played_s->value / c.whole_s.value - 1) > std::abs(c.error()) / 2)
    return "most of the residual is interpreter and dispatch: the launches played in one stretch differ as "
           "much";
  if (c.imprecise) return "the measurement is too noisy, give it more time or a quieter machine";
  return "the kernels' times depend on more than the windows tried";
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

Comparison make_comparison(const KernelTable& table, const SumEstimate& estimate,
                           const std::vector<IsolatedKernel>& isolated,
                           const std::map<uint32_t, std::string>& excluded) {
  Comparison c;
  c.whole_s = estimate.whole_s;
  c.eager_s = estimate.eager_s;
  c.played_s = estimate.played_s;
  c.sum_s = estimate.sum_s;
  c.window = estimate.window;
  c.rounds = estimate.rounds;
  c.imprecise = estimate.relative_half_width() > kLargestHalfWidth;
  c.windows = nlohmann::json::array();
  for (const WindowTrial& trial : estimate.trials)
    c.windows.push_back({{"window", trial.window},
                         {"rounds", trial.rounds},
                         {"sum_over_whole", trial.share},
                         {"standard_error", trial.standard_error}});
  for (size_t k = 0; k < table.kernels.size(); ++k)
    c.kernels.push_back(kernel_result(table.kernels[k], estimate.kernels[k]));
  add_isolated(isolated, c.kernels);
  for (const auto& [kernel, why] : excluded) {
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
  c.residual = explain(c);
  c.verdict = verdict_of(c);
  return c;
}

}  // namespace kjoule
