#include "importers/ncu_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/text/parse_number.hpp"
#include "importers/time_unit.hpp"

namespace kjoule {

namespace {

constexpr double kSameTime = 0.01;  ///< largest relative difference of two metrics of one duration
constexpr const char* kRawRemedy = "write the table again with ncu --import REPORT --csv --page raw";

/// Returns whether a metric is the duration of the launch. All forms of gpu__time_duration are equal, because
/// a GPU has one such counter.
bool is_duration(std::string_view metric) {
  return metric == "Duration" || metric.starts_with("gpu__time_duration.");
}

/// Returns the power of ten of a duration's unit. Throws Error if the unit is not known.
int duration_power(const std::string& unit, const std::string& file, size_t line) {
  if (const auto power = power_of_unit(unit)) return *power;
  throw Error(unit.empty()
                  ? fmt::format("{}:{}: the duration of ncu has no unit", file, line)
                  : fmt::format("{}:{}: the duration of ncu has the unit \"{}\", which is not one of time",
                                file, line, unit),
              kRawRemedy);
}

/// Converts lines of metrics, of which each has one metric of one launch or of one kernel of a summary.
class MetricLines {
 public:
  MetricLines(CsvTable table, const std::string& file)
      : table_(std::move(table)),
        file_(file),
        section_(position_of(table_.columns, "Section Name")),
        metric_(position_of(table_.columns, "Metric Name")),
        unit_(position_of(table_.columns, "Metric Unit")),
        value_(position_of(table_.columns, "Metric Value")),
        mean_(position_of(table_.columns, "Average")),
        invocations_(position_of(table_.columns, "Invocations")),
        identity_(std::min(section_, metric_)) {}

  /// Adds the launches, or the kernels of a summary, to `rows`.
  void add_to(TableRows& rows) {
    if (unit_ >= width() || (value_ >= width() && mean_ >= width()))
      throw Error(file_ + ": this table of ncu has no column \"Metric Value\"", kRawRemedy);
    observe_digits();
    for (CsvTable::Row& row : table_.rows) add_line(row);
    CsvTable launches{table_.caption, table_.line, {}, {}};
    launches.columns.assign(table_.columns.begin(),
                            table_.columns.begin() + static_cast<std::ptrdiff_t>(identity_));
    std::vector<ForeignColumn> columns = foreign_columns(launches.columns);
    for (const char* field : {"mean_us", "min_us", "max_us"}) {
      launches.columns.emplace_back(field);
      columns.push_back({ColumnKind::field, field});
    }
    launches.rows = std::move(launches_);
    rows.add(launches, columns, style_);
  }

 private:
  size_t width() const { return table_.columns.size(); }
  bool is_summary() const { return value_ >= width(); }

  void observe_digits() {
    for (const CsvTable::Row& row : table_.rows) {
      if (invocations_ < width()) style_.observe(row.cells[invocations_], true);
      if (is_duration(row.cells[metric_])) style_.observe(row.cells[is_summary() ? mean_ : value_], false);
    }
    if (const std::string conflict = style_.conflict(); !conflict.empty())
      throw Error(fmt::format("{}: {}", file_, conflict), kDigitsRemedy);
  }

  /// Takes a line: begins a launch if the line is the first of its launch, and keeps the launch's duration.
  void add_line(CsvTable::Row& row) {
    std::string key;
    for (size_t c = 0; c < identity_; ++c) key += row.cells[c] + '\0';
    const bool has_time = is_duration(row.cells[metric_]);
    const std::string section = section_ < width() ? row.cells[section_] : "";
    const auto found = places_.find(key);
    // A metric that occurs again in its section belongs to another launch, of a report that follows.
    const bool repeats =
        has_time && found != places_.end() && !sections_.insert({found->second, section}).second;
    size_t place = found == places_.end() ? 0 : found->second;
    if (found == places_.end() || repeats) {
      place = launches_.size();
      places_[key] = place;
      if (has_time) sections_.insert({place, section});
      launches_.push_back(
          {{row.cells.begin(), row.cells.begin() + static_cast<std::ptrdiff_t>(identity_)}, row.line});
      launches_.back().cells.resize(identity_ + 3);
    }
    if (has_time) keep_times(row, launches_[place].cells);
  }

  void keep_times(const CsvTable::Row& row, std::vector<std::string>& launch) const {
    const std::string mean = time_of(row, is_summary() ? mean_ : value_);
    if (mean.empty()) return;
    std::string& kept = launch[identity_];
    const auto before = parse_number(kept), now = parse_number(mean);
    if (before && now && std::abs(*before - *now) > kSameTime * std::max(*before, *now))
      throw Error(fmt::format("{}:{}: the durations of one launch contradict each other: {} us and {} us",
                              file_, row.line, *before, *now),
                  kRawRemedy);
    if (!kept.empty()) return;
    kept = mean;
    if (!is_summary()) return;
    launch[identity_ + 1] = time_of(row, position_of(table_.columns, "Minimum"));
    launch[identity_ + 2] = time_of(row, position_of(table_.columns, "Maximum"));
  }

  /// Returns the time in a cell, in us; empty if it is not a number, such as "n/a".
  std::string time_of(const CsvTable::Row& row, size_t column) const {
    if (column >= width()) return {};
    const auto number = style_.plain(row.cells[column]);
    if (!number) return {};
    return time_in_us(*number, duration_power(row.cells[unit_], file_, row.line));
  }

  CsvTable table_;
  const std::string& file_;
  size_t section_, metric_, unit_, value_, mean_, invocations_;
  size_t identity_;  ///< number of columns before the metric's, which identify the launch
  DigitStyle style_;
  std::map<std::string, size_t> places_;               ///< index of each launch, by its identity
  std::set<std::pair<size_t, std::string>> sections_;  ///< launches and sections that had a duration
  std::vector<CsvTable::Row> launches_;
};

/// Converts the page "raw": writes the units of the line below the header into the headings of durations.
void add_raw_page(CsvTable table, const std::string& file, TableRows& rows) {
  std::vector<ForeignColumn> columns = foreign_columns(table.columns);
  const size_t id = position_of(table.columns, "ID");
  const bool has_units =
      id < table.columns.size() && !table.rows.empty() && table.rows.front().cells[id].empty();
  bool has_time = false;
  for (size_t c = 0; c < columns.size(); ++c) {
    const HeadingParts parts = split_heading(table.columns[c]);
    if (!is_duration(parts.name)) continue;
    const std::string unit(has_units ? table.rows.front().cells[c] : std::string(parts.unit));
    const int power = duration_power(unit, file, table.line + (has_units ? 1 : 0));
    columns[c] = has_time ? ForeignColumn{ColumnKind::passed, ""}
                          : ForeignColumn{ColumnKind::number,
                                          power == 0 ? "mean (us)" : fmt::format("mean ({})", unit)};
    has_time = true;
  }
  if (has_units) table.rows.erase(table.rows.begin());
  rows.add(table, columns, digit_style_of(table, columns, file));
}

}  // namespace

TableRows read_ncu_csv(CsvTables csv, const std::string& file) {
  TableRows rows;
  rows.format = "ncu CSV";
  for (CsvTable& table : csv.tables) {
    if (!std::ranges::any_of(table.columns, is_name_column))
      throw Error(file + ": this table of ncu does not list kernels", kRawRemedy);
    if (has_column(table.columns, "Metric Name"))
      MetricLines(std::move(table), file).add_to(rows);
    else
      add_raw_page(std::move(table), file, rows);
  }
  return rows;
}

}  // namespace kjoule
