#include "page/models_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/printable.hpp"

namespace kjoule {

namespace {

/// A sampled shape with its measured and modelled cost, in us or J.
struct SampledCost {
  double measured = 0, modelled = 0;
};

std::vector<SampledCost> costs_of(const ReportedModel& row, const SampledData& data) {
  const MeasuredShapes measured = data.samples(row.table).select(row.direction, row.measurand);
  std::vector<SampledCost> costs;
  for (size_t s = 0; s < measured.shapes.size(); ++s)
    costs.push_back({measured.costs[s], row.model->predict(measured.shapes[s]).value});
  std::sort(costs.begin(), costs.end(),
            [](const SampledCost& a, const SampledCost& b) { return a.measured < b.measured; });
  return costs;
}

/// Returns the costs of all shapes of these models, which measure the same quantity.
PageChart costs_chart(const std::vector<ReportedModel>& models, const SampledData& data,
                      Measurand measurand) {
  const std::string unit = measurand == Measurand::time ? "us" : "J";
  PageChart chart(PageChart::Style::points,
                  fmt::format("Every sampled shape: {} as measured, and as the model gives it.",
                              measurand == Measurand::time ? "time" : "energy"),
                  "measured " + unit, "model " + unit);
  std::vector<std::pair<double, std::vector<std::optional<ChartValue>>>> points;
  const size_t series = models.size() + 1;
  for (size_t m = 0; m < models.size(); ++m) {
    const auto& [table, direction, measured_as, file, model] = models[m];
    chart.add_series(
        printable(fmt::format("{} {} {}", table.gpu, table.precision, direction_text(direction))));
    for (const auto& [measured, modelled] : costs_of(models[m], data)) {
      auto& [x, values] = points.emplace_back(measured, std::vector<std::optional<ChartValue>>(series));
      values[m] = ChartValue{modelled, modelled, modelled};
      values.back() = ChartValue{measured, measured, measured};
    }
  }
  chart.add_line("equal");
  std::stable_sort(points.begin(), points.end(), [](auto& a, auto& b) { return a.first < b.first; });
  for (const auto& [x, values] : points) chart.add_point(x, values);
  return chart;
}

/// Returns the models of an operator that measure the same quantity.
std::vector<ReportedModel> models_of(const std::vector<ReportedModel>& models, const std::string& operation,
                                     Measurand measurand) {
  std::vector<ReportedModel> chosen;
  for (const ReportedModel& one : models)
    if (one.table.operation == operation && one.measurand == measurand && !one.table.topology)
      chosen.push_back(one);
  return chosen;
}

PageSection errors_section(const std::vector<ReportedModel>& models) {
  PageSection section("errors", "Errors of the models");
  std::vector<ReportedModel> rows = models;
  std::stable_sort(rows.begin(), rows.end(), [](const ReportedModel& a, const ReportedModel& b) {
    return a.model->error().cross_validated_percent > b.model->error().cross_validated_percent;
  });
  PageTable table("Mean absolute errors on shapes that were not used for training", "model");
  table.fill<ReportedModel>(
      model_columns(), Place::first_screen, rows,
      [](const ReportedModel& row) {
        return RowName{printable(row.name()), printable(row.name()) + " (" + row.model->method() + ")"};
      },
      {"cross %", "largest %"});
  table.share_bars();
  table.let_sort("cross %");
  section.add_table(table);
  return section;
}

}  // namespace

Page models_page(const std::vector<ReportedModel>& models, const SampledData& data) {
  Page page{"Models of operators", printable(data.name())};
  page.sections.push_back(errors_section(models));
  std::vector<std::string> operators;
  for (const ReportedModel& one : models)
    if (std::ranges::find(operators, one.table.operation) == operators.end())
      operators.push_back(one.table.operation);
  for (const std::string& operation : operators) {
    PageSection section("operator-" + operation, printable(operation));
    for (const Measurand measurand : {Measurand::time, Measurand::energy})
      if (const auto chosen = models_of(models, operation, measurand); !chosen.empty())
        section.add_chart(costs_chart(chosen, data, measurand));
    if (!section.is_empty())
      section.add_paragraph(
          "The models were trained on these shapes, so their distances from the line are smaller than those "
          "of "
          "new shapes, which the table of errors states.");
    page.sections.push_back(std::move(section));
  }
  return page;
}

}  // namespace kjoule
