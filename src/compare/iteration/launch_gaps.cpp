#include "compare/iteration/launch_gaps.hpp"

#include <limits>

#include "base/numbers/statistics.hpp"
#include "compare/iteration/iteration_division.hpp"

namespace kjoule {

namespace {

/// Returns whether `host_s`, the times by the host's clock, are the times of the iterations. They are if the
/// host waits for the device in each iteration. If they are shorter than the device's work, the host waits
/// only for an earlier iteration.
bool has_host_times(const IterationSpread& loop, const std::vector<double>& host_s) {
  constexpr double kShorter = 0.95;  // the profiler lengthens work by up to 5 %
  if (!loop.host_waits || host_s.empty()) return false;
  const double work_ns = loop.parts ? loop.parts->span_ns - loop.parts->gaps_ns : 0;
  return mean_interval(host_s).value * 1e9 >= kShorter * work_ns;
}

}  // namespace

double working_s(const Comparison& c) {
  if (c.overlapped_s) return c.overlapped_s->value;
  if (!c.timeline || !c.timeline->totals || c.timeline->totals->work_ns <= 0) return c.times.whole_s.value;
  const TimelineTotals& totals = *c.timeline->totals;
  return c.times.whole_s.value * static_cast<double>(totals.busy_ns) / static_cast<double>(totals.work_ns);
}

std::vector<double> Comparison::own_iterations_s() const {
  const std::optional<IterationSpread>& loop = loop_iterations();
  if (!loop || loop->distances_ns.empty() || has_host_times(*loop, program_iterations.run_s))
    return program_iterations.run_s;
  std::vector<double> seconds;
  for (const int64_t ns : loop->distances_ns) seconds.push_back(static_cast<double>(ns) * 1e-9);
  return seconds;
}

std::optional<Interval> own_iteration(const Comparison& c) {
  if (c.times.own_iteration_s) return c.times.own_iteration_s;
  if (const auto seconds = c.program_iteration_s())
    return Interval{*seconds, std::numeric_limits<double>::infinity()};
  return {};
}

std::optional<double> launch_gaps_s(const Comparison& c) {
  const auto own = own_iteration(c);
  const auto division = divide_iteration(c);
  const double gaps_s = own ? own->value - working_s(c) - (division ? division->staging_s : 0) : 0;
  return gaps_s > 0 ? std::optional(gaps_s) : std::nullopt;
}

}  // namespace kjoule
