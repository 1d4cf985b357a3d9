#include "compare/launch_gaps.hpp"

#include <limits>

namespace kjoule {

namespace {

/// Returns how long the device works in one iteration, if it does not wait for launches.
double working_s(const Comparison& c) {
  if (c.overlapped_s) return c.overlapped_s->value;
  if (!c.timeline || !c.timeline->totals || c.timeline->totals->work_ns <= 0) return c.whole_s.value;
  const TimelineTotals& totals = *c.timeline->totals;
  return c.whole_s.value * static_cast<double>(totals.busy_ns) / static_cast<double>(totals.work_ns);
}

}  // namespace

std::optional<Interval> own_iteration(const Comparison& c) {
  if (c.own_iteration_s) return c.own_iteration_s;
  if (const auto seconds = c.program_iteration_s())
    return Interval{*seconds, std::numeric_limits<double>::infinity()};
  return {};
}

std::optional<double> launch_gaps_s(const Comparison& c) {
  const auto own = own_iteration(c);
  const double gaps_s = own ? own->value - working_s(c) : 0;
  return gaps_s > 0 ? std::optional(gaps_s) : std::nullopt;
}

}  // namespace kjoule
