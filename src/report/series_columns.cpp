#include "report/series_columns.hpp"

#include "report/interval_json.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;
using SeriesRow = const LoggedSeries&;

TableColumn<LoggedSeries> series_column(const char* head, const char* meaning, const char* unit, int decimals,
                                        std::function<Json(SeriesRow)> value) {
  return TableColumn<LoggedSeries>::number(head, "", meaning, unit, Place::first_screen, std::move(value),
                                           decimals);
}

/// Returns a function that returns the lowest or highest reading of the series; null if it has too few.
auto extreme_of(double WindowEnergy::*watts) {
  return [watts](SeriesRow row) { return row.energy.peak_w > 0 ? Json(row.energy.*watts) : Json(); };
}

}  // namespace

LoggedSeries logged_series(const PowerSeries& series) {
  return {
      series.name,
      PowerCurve(series, series.lag).energy({series.samples.front().unix_ns, series.samples.back().unix_ns})};
}

const std::vector<TableColumn<LoggedSeries>>& series_columns() {
  static const std::vector<TableColumn<LoggedSeries>> columns{
      series_column("s", "time from the first to the last reading", "s", 3,
                    [](SeriesRow row) { return Json(row.energy.window.seconds()); }),
      series_column("readings", "number of readings", "readings", 0,
                    [](SeriesRow row) { return Json(row.energy.samples); }),
      series_column("J", "energy", "J", 2, [](SeriesRow row) { return value_json(row.energy.joules); }),
      series_column("+- J", "half-width of the 95 % interval of the energy", "J", 2,
                    [](SeriesRow row) { return half_width_json(row.energy.joules); }),
      series_column("mean W", "mean power", "W", 2,
                    [](SeriesRow row) { return row.energy.joules ? Json(row.energy.average_w) : Json(); }),
      series_column("lowest W", "lowest reading", "W", 2, extreme_of(&WindowEnergy::min_w)),
      series_column("highest W", "highest reading", "W", 2, extreme_of(&WindowEnergy::peak_w))};
  return columns;
}

}  // namespace kjoule
