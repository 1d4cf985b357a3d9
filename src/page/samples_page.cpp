#include "page/samples_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text/printable.hpp"
#include "prediction/operator_kind.hpp"
#include "report/sample_columns.hpp"

namespace kjoule {

namespace {

/// Returns the unit of the work of an operator.
std::string work_unit(const OperatorKind& kind, const Samples& samples) {
  if (find_operator_kind(kind.name) == nullptr) return "product of the sizes";
  return kind.work(samples.shapes.front()).flops > 0 ? "FLOPs of a forward pass"
                                                     : "elements that a forward pass moves";
}

/// Adds a series for each direction; `cost_of` returns the cost of a row, if it was measured.
template <class CostOf>
PageChart work_chart(const std::string& text, const std::string& unit, const OperatorKind& kind,
                     const Samples& samples, const CostOf& cost_of) {
  PageChart chart(PageChart::Style::points, text, work_unit(kind, samples), unit);
  std::multimap<double, std::vector<std::optional<ChartValue>>> points;
  for (const auto& [direction, us] : samples.us) chart.add_series(direction_text(direction));
  for (size_t row = 0; row < samples.shapes.size(); ++row) {
    std::vector<std::optional<ChartValue>> values;
    for (const auto& [direction, us] : samples.us) {
      const std::optional<double> cost = cost_of(direction, row);
      values.push_back(cost ? std::optional(ChartValue{*cost, *cost, *cost}) : std::nullopt);
    }
    points.emplace(kind.work(samples.shapes[row]).amount(), std::move(values));
  }
  for (const auto& [work, values] : points) chart.add_point(work, values);
  return chart;
}

PageTable shapes_table(const Samples& samples) {
  std::vector<ReportedSample> rows = rows_of(samples);
  const std::vector<double>& us = samples.us.begin()->second;
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const ReportedSample& a, const ReportedSample& b) { return us[a.row] > us[b.row]; });
  const auto columns = sample_columns(samples);
  PageTable table("Medians of all sampled shapes", "shape");
  table.fill<ReportedSample>(columns, Place::first_screen, rows,
                             [](const ReportedSample& row) { return RowName{row.shape()}; },
                             {columns.front().head});
  table.let_sort(columns.front().head);
  return table;
}

}  // namespace

Page samples_page(const std::string& title, const std::string& operation, const Samples& samples) {
  Page page{printable(title),
            fmt::format("{} sampled shapes of {}", samples.shapes.size(), printable(operation))};
  const OperatorKind kind = make_operator_kind(operation, samples.columns);
  PageSection curve("work", "Time and energy over work"), shapes("shapes", "Shapes");
  curve.add_chart(work_chart(
      "Time of every sampled shape over its work.", "us", kind, samples,
      [&](Direction direction, size_t row) { return std::optional(samples.us.at(direction).at(row)); }));
  if (!samples.joules.empty())
    curve.add_chart(work_chart("Energy of every sampled shape over its work.", "J", kind, samples,
                               [&](Direction direction, size_t row) {
                                 const auto found = samples.joules.find(direction);
                                 return found == samples.joules.end() ? std::nullopt : found->second.at(row);
                               }));
  shapes.add_table(shapes_table(samples));
  page.sections = {curve, shapes};
  return page;
}

}  // namespace kjoule
