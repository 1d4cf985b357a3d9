#include "power/power_readings.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers/line_fit.hpp"
#include "base/numbers/statistics.hpp"

namespace kjoule {

namespace {

constexpr size_t kFewestTicks = 3;
/// Share of a tick's distance from its expected time by which the expected time of the next one is corrected.
constexpr double kFollowed = 0.1;
/// Ticks that were seen farther from their fitted time than this share of the period are not fitted.
constexpr double kFittedShare = 0.2;

/// A tick, which is a change of an energy counter.
struct NumberedTick {
  int64_t number = 0;           ///< periods since the first tick
  double at_s = 0, joules = 0;  ///< time since the first value, and the counter after the change
};

std::vector<NumberedTick> changes_of(const std::vector<MeterValue>& values) {
  std::vector<NumberedTick> ticks;
  for (size_t v = 1; v < values.size(); ++v)
    if (values[v].value != values[v - 1].value)
      ticks.push_back(
          {0, static_cast<double>(values[v].steady_ns - values.front().steady_ns) * 1e-9, values[v].value});
  return ticks;
}

/// Returns the ticks with their numbers. Leaves out a tick that was seen so late that the next one has the
/// same number.
std::vector<NumberedTick> numbered(const std::vector<NumberedTick>& ticks, double period_s) {
  std::vector<NumberedTick> result{ticks.front()};
  double due_s = ticks.front().at_s;
  for (size_t t = 1; t < ticks.size(); ++t) {
    NumberedTick tick = ticks[t];
    const double steps = std::round((tick.at_s - due_s) / period_s);
    due_s += steps * period_s;
    due_s += kFollowed * (tick.at_s - due_s);
    tick.number = result.back().number + static_cast<int64_t>(steps);
    if (steps < 1) result.pop_back();
    result.push_back(tick);
  }
  return result;
}

/// Sets the begin and the period for which tick number n comes at begin + n x period, by least squares.
void fit_times(const std::vector<NumberedTick>& ticks, double& begin_s, double& period_s) {
  const auto late_s = [&](const NumberedTick& tick) {
    return tick.at_s - begin_s - period_s * static_cast<double>(tick.number);
  };
  std::vector<double> late;
  for (const NumberedTick& tick : ticks) late.push_back(late_s(tick));
  const double usual_s = median(late);
  LineFit times;
  for (const NumberedTick& tick : ticks)
    if (std::abs(late_s(tick) - usual_s) <= kFittedShare * period_s)
      times.add(static_cast<double>(tick.number), tick.at_s);
  const auto slope = times.slope();
  if (!slope) return;
  period_s = *slope;
  begin_s = times.at_0(period_s);
}

std::vector<PowerReading> readings_between_ticks(const std::vector<MeterValue>& values) {
  const std::vector<NumberedTick> changes = changes_of(values);
  if (changes.size() < kFewestTicks) return {};
  std::vector<double> distances;
  for (size_t t = 1; t < changes.size(); ++t) distances.push_back(changes[t].at_s - changes[t - 1].at_s);
  double begin_s = changes.front().at_s, period_s = median(distances);
  std::vector<NumberedTick> ticks = numbered(changes, period_s);
  // The median of the distances is not exact enough for hundreds of ticks.
  const auto span = static_cast<double>(ticks.back().number - ticks.front().number);
  if (span > 0) period_s = (ticks.back().at_s - ticks.front().at_s) / span;
  fit_times(ticks, begin_s, period_s);
  const auto at_ns = [&](const NumberedTick& tick) {
    return values.front().steady_ns +
           std::llround((begin_s + period_s * static_cast<double>(tick.number)) * 1e9);
  };
  std::vector<PowerReading> readings;
  for (size_t t = 1; t < ticks.size(); ++t) {
    const NumberedTick &from = ticks[t - 1], &to = ticks[t];
    if (to.joules < from.joules) continue;  // the counter began again
    readings.push_back(
        {at_ns(from), at_ns(to),
         (to.joules - from.joules) / (period_s * static_cast<double>(to.number - from.number))});
  }
  return readings;
}

}  // namespace

std::vector<PowerReading> power_readings(const MeterFacts& facts, const std::vector<MeterValue>& values) {
  if (facts.quantity == Quantity::energy_j) return readings_between_ticks(values);
  const auto averaging_ns = std::llround(facts.averaging_s * 1e9);
  std::vector<PowerReading> readings;
  for (const MeterValue& value : values)
    readings.push_back({value.steady_ns - averaging_ns, value.steady_ns, value.value});
  return readings;
}

}  // namespace kjoule
