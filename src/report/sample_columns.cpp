#include "report/sample_columns.hpp"

#include <fmt/format.h>

#include "base/text/printable.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;
using SampleCell = const ReportedSample&;

/// Returns the energy of a sample, J; nothing if it was not measured.
std::optional<double> joules_of(SampleCell sample, Direction direction) {
  const auto found = sample.samples->joules.find(direction);
  return found == sample.samples->joules.end() ? std::nullopt : found->second.at(sample.row);
}

std::vector<TableColumn<ReportedSample>> columns_of_direction(Direction direction) {
  using Column = TableColumn<ReportedSample>;
  const std::string name = direction_text(direction);
  const auto us = [direction](SampleCell sample) { return sample.samples->us.at(direction).at(sample.row); };
  return {Column::number(
              name + " us", "", "time of one " + name + " pass", "us", Place::first_screen,
              [us](SampleCell sample) { return Json(us(sample)); }, 2),
          Column::number(
              name + " mJ", "", "energy of one " + name + " pass", "mJ", Place::first_screen,
              [direction](SampleCell sample) {
                const auto joules = joules_of(sample, direction);
                return joules ? Json(1e3 * *joules) : Json();
              },
              3),
          Column::number(
              name + " W", "", "mean power of the " + name + " pass", "W", Place::first_screen,
              [direction, us](SampleCell sample) {
                const auto joules = joules_of(sample, direction);
                return joules ? Json(1e6 * *joules / us(sample)) : Json();
              },
              0)};
}

}  // namespace

std::string ReportedSample::shape() const {
  std::string text;
  for (size_t c = 0; c < samples->columns.size(); ++c)
    text += fmt::format("{}{} {:.0f}", c == 0 ? "" : ", ", printable(samples->columns[c]),
                        samples->shapes[row][c]);
  return text;
}

std::vector<ReportedSample> rows_of(const Samples& samples) {
  std::vector<ReportedSample> rows;
  for (size_t row = 0; row < samples.shapes.size(); ++row) rows.push_back({&samples, row});
  return rows;
}

std::vector<TableColumn<ReportedSample>> sample_columns(const Samples& samples) {
  std::vector<TableColumn<ReportedSample>> columns;
  for (const auto& [direction, us] : samples.us)
    for (TableColumn<ReportedSample>& column : columns_of_direction(direction))
      columns.push_back(std::move(column));
  return columns;
}

}  // namespace kjoule
