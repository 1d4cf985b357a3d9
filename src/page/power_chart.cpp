#include "page/power_chart.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include "base/text/printable.hpp"
#include "power/timestamp.hpp"

namespace kjoule {

namespace {

/// The number of points of a chart, which is more than a screen can show.
constexpr int64_t kMostPoints = 2000;

/// The readings of one series within an interval.
struct Readings {
  double sum = 0, low = 0, high = 0;
  size_t count = 0;

  void add(double watts) {
    low = count == 0 ? watts : std::min(low, watts);
    high = count == 0 ? watts : std::max(high, watts);
    sum += watts;
    ++count;
  }
  std::optional<ChartValue> value() const {
    return count == 0 ? std::nullopt : std::optional(ChartValue{low, sum / static_cast<double>(count), high});
  }
};

PowerWindow span_of_series(const std::vector<const PowerSeries*>& series) {
  PowerWindow span{series.front()->samples.front().unix_ns, series.front()->samples.back().unix_ns};
  for (const PowerSeries* one : series) {
    span.begin_ns = std::min(span.begin_ns, one->samples.front().unix_ns);
    span.end_ns = std::max(span.end_ns, one->samples.back().unix_ns);
  }
  return span;
}

bool is_long(const std::vector<const PowerSeries*>& series) {
  return std::ranges::any_of(
      series, [](const PowerSeries* one) { return one->samples.size() > static_cast<size_t>(kMostPoints); });
}

}  // namespace

PageChart power_chart(const std::vector<const PowerSeries*>& series,
                      const std::vector<NamedWindow>& windows) {
  const PowerWindow span = span_of_series(series);
  PageChart chart(PageChart::Style::curves, "Power over time. The table has the energies.",
                  "s since " + local_timestamp(span.begin_ns), "W");
  const int64_t step_ns = is_long(series) ? (span.end_ns - span.begin_ns) / kMostPoints + 1 : 1;
  std::map<int64_t, std::vector<Readings>> points;  // by the time since the begin, in steps
  for (size_t s = 0; s < series.size(); ++s) {
    chart.add_series(printable(series[s]->name));
    for (const PowerSeries::Sample& sample : series[s]->samples) {
      std::vector<Readings>& all = points[(sample.unix_ns - span.begin_ns) / step_ns];
      all.resize(series.size());
      all[s].add(sample.watts);
    }
  }
  const auto seconds = [&](int64_t unix_ns) { return static_cast<double>(unix_ns - span.begin_ns) / 1e9; };
  for (const auto& [step, readings] : points) {
    std::vector<std::optional<ChartValue>> values;
    for (const Readings& one : readings) values.push_back(one.value());
    chart.add_point(
        (static_cast<double>(step) + (step_ns > 1 ? 0.5 : 0)) * static_cast<double>(step_ns) * 1e-9, values);
  }
  for (const auto& [name, window] : windows)
    chart.add_window(seconds(window.begin_ns), seconds(window.end_ns), printable(name));
  return chart;
}

}  // namespace kjoule
