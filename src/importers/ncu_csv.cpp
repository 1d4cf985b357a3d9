#include "importers/ncu_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
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

/// Most sections of one launch that may state its duration; reports of ncu have fewer than 30 sections.
constexpr size_t kMostSections = 4096;

/// Converts lines of metrics, of which each has one metric of one launch or of one kernel of a summary. The
/// lines of a launch follow one another, so that only one launch is in memory at a time.
class MetricLines {
 public:
  MetricLines(const CsvTable& table, const std::string& file, TableRows& rows)
      : table_(table),
        file_(file),
        rows_(rows),
        section_(position_of(table_.columns, "Section Name")),
        metric_(position_of(table_.columns, "Metric Name")),
        unit_(position_of(table_.columns, "Metric Unit")),
        value_(position_of(table_.columns, "Metric Value")),
        mean_(position_of(table_.columns, "Average")),
        invocations_(position_of(table_.columns, "Invocations")),
        identity_(std::min(section_, metric_)) {}

  /// Adds the launches, or the kernels of a summary.
  void add_launches() {
    if (unit_ >= width() || (value_ >= width() && mean_ >= width()))
      throw Error(file_ + ": this table of ncu has no column \"Metric Value\"", kRawRemedy);
    observe_digits();
    columns_ = foreign_columns({table_.columns.begin(), table_.columns.begin() + end_of_identity()});
    for (const char* field : {"mean_us", "min_us", "max_us"}) columns_.push_back({ColumnKind::field, field});
    table_.for_each_row([this](const CsvTable::Row& row) { add_line(row); });
    end_launch();
    check_order();
  }

 private:
  size_t width() const { return table_.columns.size(); }
  bool is_summary() const { return value_ >= width(); }
  std::ptrdiff_t end_of_identity() const { return static_cast<std::ptrdiff_t>(identity_); }

  void observe_digits() {
    table_.for_each_row([this](const CsvTable::Row& row) {
      if (invocations_ < width()) style_.observe(row.cells[invocations_], true);
      if (is_duration(row.cells[metric_])) style_.observe(row.cells[is_summary() ? mean_ : value_], false);
    });
    if (const std::string conflict = style_.conflict(); !conflict.empty())
      throw Error(fmt::format("{}: {}", file_, conflict), kDigitsRemedy);
  }

  bool is_of_launch(const CsvTable::Row& row) const {
    return std::equal(row.cells.begin(), row.cells.begin() + end_of_identity(), launch_.cells.begin());
  }

  /// Takes a line: begins a launch if the line is the first of its launch, and keeps the launch's duration.
  void add_line(const CsvTable::Row& row) {
    const bool has_time = is_duration(row.cells[metric_]);
    const std::string section = section_ < width() ? row.cells[section_] : "";
    // A metric that occurs again in its section belongs to another launch, of a report that follows.
    if (launch_.cells.empty() || !is_of_launch(row) || (has_time && sections_.contains(section))) {
      end_launch();
      launch_.cells.assign(row.cells.begin(), row.cells.begin() + end_of_identity());
      launch_.cells.resize(identity_ + 3);
      launch_.line = row.line;
    }
    if (!has_time) return;
    if (sections_.size() == kMostSections)
      throw Error(fmt::format("{}:{}: the launch has durations in more than {} sections", file_, row.line,
                              kMostSections),
                  kRawRemedy);
    sections_.insert(section);
    keep_times(row, launch_.cells);
  }

  /// Adds the launch to the rows, if there is one, and remembers its identity and sections.
  void end_launch() {
    if (launch_.cells.empty()) return;
    std::string identity;
    for (size_t c = 0; c < identity_; ++c) identity += launch_.cells[c] + '\0';
    std::string sections;
    for (const std::string& section : sections_) sections += section + '\0';
    ended_.push_back((std::hash<std::string>()(identity) & ~kSectionBits) |
                     (std::hash<std::string>()(sections) & kSectionBits));
    rows_.add(launch_, columns_, style_);
    launch_.cells.clear();
    sections_.clear();
  }

  /// Throws Error if launches of equal identity have durations in different sections: their lines, which were
  /// not next to each other, may be of one launch.
  void check_order() {
    std::ranges::sort(ended_);
    const auto is_divided = [](uint64_t one, uint64_t next) {
      return one != next && (one & ~kSectionBits) == (next & ~kSectionBits);
    };
    if (std::ranges::adjacent_find(ended_, is_divided) != ended_.end())
      throw Error(file_ + ": the lines of one launch are not next to each other", kRawRemedy);
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
    // A number with an invalid exponent stays unchanged, so that the error of its row contains it.
    return time_in_us(*number, duration_power(row.cells[unit_], file_, row.line)).value_or(*number);
  }

  static constexpr uint64_t kSectionBits = 0xffff;

  const CsvTable& table_;
  const std::string& file_;
  TableRows& rows_;
  size_t section_, metric_, unit_, value_, mean_, invocations_;
  size_t identity_;  ///< number of columns before the metric's, which identify the launch
  DigitStyle style_;
  std::vector<ForeignColumn> columns_;
  CsvTable::Row launch_;            ///< the launch of the last line, with its mean, shortest and longest time
  std::set<std::string> sections_;  ///< sections with a duration of the launch
  std::vector<uint64_t> ended_;  ///< hashes of the identities and, in kSectionBits, sections of all launches
};

/// Converts the page "raw": writes the units of the line below the header into the headings of durations.
void add_raw_page(CsvTable table, const std::string& file, TableRows& rows) {
  std::vector<ForeignColumn> columns = foreign_columns(table.columns);
  const size_t id = position_of(table.columns, "ID");
  const auto units = table.first_row();
  const bool has_units = id < table.columns.size() && units && units->cells[id].empty();
  bool has_time = false;
  for (size_t c = 0; c < columns.size(); ++c) {
    const HeadingParts parts = split_heading(table.columns[c]);
    if (!is_duration(parts.name)) continue;
    const std::string unit(has_units ? units->cells[c] : std::string(parts.unit));
    const int power = duration_power(unit, file, table.line + (has_units ? 1 : 0));
    columns[c] = has_time ? ForeignColumn{ColumnKind::passed, ""}
                          : ForeignColumn{ColumnKind::number,
                                          power == 0 ? "mean (us)" : fmt::format("mean ({})", unit)};
    has_time = true;
  }
  if (has_units)
    table.change_rows([line = units->line](const CsvTable::Row& row) { return row.line != line; });
  rows.add(table, columns, digit_style_of(table, columns, file));
}

}  // namespace

void read_ncu_csv(CsvTables csv, const std::string& file, TableRows& rows) {
  rows.format = "ncu CSV";
  for (CsvTable& table : csv.tables) {
    if (!std::ranges::any_of(table.columns, is_name_column))
      throw Error(file + ": this table of ncu does not list kernels", kRawRemedy);
    if (has_column(table.columns, "Metric Name"))
      MetricLines(table, file, rows).add_launches();
    else
      add_raw_page(std::move(table), file, rows);
  }
}

}  // namespace kjoule
