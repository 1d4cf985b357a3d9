#include "compare/iteration/kernel_times.hpp"

#include <algorithm>
#include <cmath>

namespace kjoule {

namespace {

std::optional<double> timeline_s(const Kernel& kernel, const std::vector<double>& launch_s) {
  if (launch_s.empty()) return std::nullopt;
  double seconds = 0;
  for (const LaunchIndex place : kernel.places) seconds += launch_s.at(place);
  return seconds;
}

double share_of(const std::set<LaunchIndex>& launches, const std::vector<double>& launch_s) {
  double sum = 0, all = 0;
  for (LaunchIndex i = 0; i < launch_s.size(); ++i) {
    all += launch_s[i];
    if (launches.contains(i)) sum += launch_s[i];
  }
  return all > 0 ? sum / all : 0;
}

/// Returns the sum of the kernels' times in isolation, s; nothing if a kernel with a time in context has no
/// time in isolation.
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

/// Returns the sum over kernels of |share of the time in context - share of the time on the timeline|. Shares
/// are compared, not times, because the profiler's records lengthen the whole.
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

}  // namespace

void add_times(const KernelTable& table, const std::set<LaunchIndex>& timed_together,
               Comparison& comparison) {
  const std::vector<double> on_timeline_s =
      comparison.timeline ? comparison.timeline->launch_s : std::vector<double>();
  for (size_t k = 0; k < table.kernels.size(); ++k) {
    const Kernel& kernel = table.kernels[k];
    KernelResult& result = comparison.kernels.at(k);
    result.in_context_s = comparison.times.kernel_s[k];
    result.timeline_s = timeline_s(kernel, on_timeline_s);
    result.timed_together =
        std::ranges::any_of(kernel.places, [&](LaunchIndex place) { return timed_together.contains(place); });
  }
  comparison.timed_together_share = share_of(timed_together, comparison.times.launch_s);
}

void complete_kernels(Comparison& comparison) {
  comparison.isolated_sum_s = isolated_sum(comparison.kernels);
  comparison.timeline_difference = timeline_difference(comparison.kernels);
  std::ranges::stable_sort(comparison.kernels, std::ranges::greater(), [](const KernelResult& kernel) {
    return kernel.in_context_s ? kernel.in_context_s->value : -1.0;
  });
}

}  // namespace kjoule
