#include "page/power_log_page.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/text/printable.hpp"
#include "page/power_chart.hpp"
#include "report/series_columns.hpp"

namespace kjoule {

namespace {

PageTable series_table(const std::vector<LoggedSeries>& series) {
  PageTable table("All readings, from the first to the last", "meter");
  table.fill<LoggedSeries>(series_columns(), Place::first_screen, series,
                           [](const LoggedSeries& row) {
                             return RowName{printable(row.name), printable(row.energy.missing)};
                           },
                           {"J"});
  return table;
}

}  // namespace

Page power_log_page(const PowerLog& log) {
  std::vector<const PowerSeries*> series;
  std::vector<LoggedSeries> rows;
  for (const PowerSeries& one : log.series) {
    if (one.samples.empty()) continue;
    series.push_back(&one);
    rows.push_back(logged_series(one));
  }
  PageSection curve("curve", "Power"), energies("energy", "Energy");
  curve.add_chart(power_chart(series, {}));
  energies.add_table(series_table(rows));
  energies.add_paragraph(
      "+- is the half-width of the 95 % interval. It does not contain the systematic error of the meter. "
      "kjoule "
      "energy computes the energies of work whose begin and end are known.");
  energies.add_list(log.warnings);
  Page page{"Power log", printable(std::filesystem::path(log.path).filename().string()) + ", " + log.format};
  page.sections = {curve, energies};
  return page;
}

}  // namespace kjoule
