#include "compare/iteration/window_times.hpp"

#include <numeric>

#include "recording/launch_match.hpp"
#include "run/run_rows.hpp"

namespace kjoule {

namespace {

/// Returns the device's activities while the window was recorded; none if they could not be read.
std::vector<Activity> activities_in(const RowList& rows) {
  try {
    const std::optional<Observation> seen = observation_in(rows);
    return seen ? seen->iteration : std::vector<Activity>();
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

WindowTimes window_times(const Recording& recording, const SumEstimate& estimate, const RowList& rows) {
  WindowTimes window{estimate.whole_s.value,
                     estimate.instrument_half_width_s,
                     std::accumulate(estimate.launch_s.begin(), estimate.launch_s.end(), 0.0),
                     {}};
  const std::vector<Activity> activities = activities_in(rows);
  const std::vector<std::optional<LaunchIndex>> launches = launches_of(recording, activities);
  std::map<KernelKey, WindowKernel> kernels;
  for (size_t i = 0; i < activities.size(); ++i) {
    if (!launches[i] || !activities[i].has_times()) continue;
    const double replayed_s = estimate.launch_s.at(*launches[i]);
    if (!(replayed_s > 0)) continue;  // the launch is excluded, or belongs to the lead or tail
    KernelKey key(recording.launches[*launches[i]]);
    if (!key.is_kernel()) key.bytes = activities[i].bytes;
    WindowKernel& kernel = kernels[key];
    kernel.kernel = key;
    ++kernel.launches;
    kernel.profiled_s += 1e-9 * static_cast<double>(activities[i].duration_ns());
    kernel.replayed_s += replayed_s;
    window.other_s -= replayed_s;
  }
  for (auto& [key, kernel] : kernels) window.kernels.push_back(std::move(kernel));
  return window;
}

}  // namespace kjoule
