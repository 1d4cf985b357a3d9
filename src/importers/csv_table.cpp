#include "importers/csv_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/files/csv_rows.hpp"
#include "base/text/parse_number.hpp"
#include "importers/foreign_columns.hpp"
#include "importers/kernel_rows.hpp"
#include "importers/unread_formats.hpp"

namespace kjoule {

namespace {

constexpr const char* kCopiedWhole = "check that the file was written to its end and copied completely";
constexpr size_t kMostLinesBefore = 100;  ///< largest number of lines before the first header
constexpr size_t kMostTables = 10000;     ///< largest number of tables in a file

/// All rows of a text for one style of quoting.
struct CsvReading {
  std::vector<CsvTable> tables;
  std::vector<std::string> first;       ///< the cells of the first line
  std::optional<CsvTable::Row> uneven;  ///< the first row whose number of cells differs from its header's
  size_t expected = 0;                  ///< number of cells that the uneven row should have
  bool is_cut_off = false;              ///< whether the text ends within quotes
  size_t last_line = 0;                 ///< number of the line at which the last row begins
};

bool has_name_column(const std::vector<std::string>& cells) {
  return cells.size() > 1 && std::ranges::any_of(cells, is_name_column);
}

/// Returns whether the cells are the header of a profiler's report.
bool is_report_header(const std::vector<std::string>& cells) {
  return cells.size() > 1 &&
         std::ranges::none_of(cells,
                              [](const std::string& cell) { return parse_number(cell).has_value(); }) &&
         origin_of(cells) != TableOrigin::other;
}

/// Returns whether a line is not part of a table, but a message of ncu, nvprof or nsys.
bool is_remark(const std::vector<std::string>& cells) {
  const std::string_view line = cells.front();
  if (line.starts_with("==")) return true;
  if (cells.size() > 1 && !line.starts_with("Processing [")) return false;
  const std::string_view text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
  if (text.starts_with("CUDA ") && text.find(" Statistics") != std::string_view::npos) return true;
  return std::ranges::any_of(std::initializer_list<std::string_view>{"Processing [", "** ", "SKIPPED",
                                                                     "NOTICE", "Generating ", "Exporting "},
                             [&](std::string_view begin) { return text.starts_with(begin); });
}

/// Adds empty cells to a row of ncu that ends after its metric, before the columns of rules.
void complete_metric_row(std::vector<std::string>& cells, const std::vector<std::string>& columns) {
  const size_t value = position_of(columns, "Metric Value");
  if (value < cells.size() && cells.size() < columns.size()) cells.resize(columns.size());
}

/// Joins the cells of a name that contains commas, but was written without quotes. This is only possible in
/// reports of profilers whose last column has the names.
void join_name(std::vector<std::string>& cells, const std::vector<std::string>& columns) {
  const size_t width = columns.size();
  if (cells.size() <= width || !is_name_column(columns.back()) || origin_of(columns) == TableOrigin::other)
    return;
  for (size_t c = width; c < cells.size(); ++c) cells[width - 1] += "," + cells[c];
  cells.resize(width);
}

/// Returns whether a remark announces a report of nsys, whose header follows.
bool announces_report(std::string_view remark) {
  return remark.find("** ") != std::string_view::npos || remark.starts_with("Processing [");
}

/// Gives a row as many cells as its header has, if its tool allows rows of other lengths.
void complete_row(std::vector<std::string>& cells, const std::vector<std::string>& columns) {
  if (cells.size() == columns.size()) return;
  complete_metric_row(cells, columns);
  join_name(cells, columns);
}

CsvReading read_all(std::string_view text, CsvQuotes quotes, const std::string& file) {
  CsvReading reading;
  CsvRows rows(text, file, quotes);
  std::vector<std::string> cells;
  std::string caption;
  size_t before = 0;
  std::string_view rest = rows.rest();
  for (; rows.next(cells); rest = rows.rest()) {
    if (reading.first.empty()) reading.first = cells;
    reading.is_cut_off = rows.cut_off();
    reading.last_line = rows.line();
    const bool is_first = reading.tables.empty();
    if (is_remark(cells)) {
      caption = cells.front();
    } else if (is_report_header(cells) || (!is_first && announces_report(caption)) ||
               (is_first && before < kMostLinesBefore && has_name_column(cells))) {
      if (!is_first) reading.tables.back().end_before(rest);
      if (reading.tables.size() == kMostTables)
        throw Error(fmt::format("{}:{}: the file has more than {} tables", file, rows.line(), kMostTables),
                    "divide it into several files");
      reading.tables.emplace_back(std::exchange(caption, {}), rows.line(), cells,
                                  CsvPart{rows.rest(), file, rows.next_line(), quotes});
    } else if (is_first) {
      ++before;
    } else {
      const std::vector<std::string>& columns = reading.tables.back().columns;
      complete_row(cells, columns);
      if (cells.size() != columns.size() && !reading.uneven) {
        reading.uneven = CsvTable::Row{cells, rows.line()};
        reading.expected = columns.size();
      }
    }
  }
  return reading;
}

void check_columns(const std::vector<std::string>& columns, const std::string& file) {
  const auto has = [&](const char* name) { return std::ranges::find(columns, name) != columns.end(); };
  if (const size_t other = columns.size() == 1 ? columns[0].find_first_of(";\t") : std::string::npos;
      other != std::string::npos)
    throw Error(fmt::format("{}: the columns are separated by {}", file,
                            columns[0][other] == ';' ? "semicolons" : "tabs"),
                "convert the file so that commas separate the columns");
  if (has("unique_kernels")) throw Error(file + kContainsGroups, kGroupsRemedy);
  if (!std::ranges::any_of(columns, is_name_column) && origin_of(columns) == TableOrigin::other)
    throw Error(file + ": the header (first line) has no column \"name\" for the names of kernels",
                kFormatsRemedy);
  for (const std::string& column : columns)
    if (is_name_column(column) && std::ranges::count(columns, column) > 1)
      throw Error(fmt::format("{}: the header has two columns \"{}\"", file, column),
                  "rename the one that does not have the names of kernels");
  if (has("replayed"))
    throw Error(file + ": this file is a result of kjoule isolated, not a kernel table",
                "pass the kernels.jsonl in the same folder");
}

/// Returns the tool that wrote the tables. Throws Error if several tools did.
TableOrigin common_origin(const std::vector<CsvTable>& tables, const std::string& file) {
  const TableOrigin first = origin_of(tables.front().columns);
  for (const CsvTable& table : tables)
    if (origin_of(table.columns) != first && !announces_report(table.caption))
      throw Error(fmt::format("{}:{}: a table of another tool begins here", file, table.line),
                  "write each table to a file of its own");
  return first;
}

}  // namespace

bool CsvTable::any_row(const std::function<bool(Row&)>& is) const {
  CsvRows rows(body_.text, body_.file, body_.quotes, body_.first_line);
  Row row;
  while (rows.next(row.cells)) {
    if (is_remark(row.cells)) continue;
    complete_row(row.cells, header_);
    row.line = rows.line();
    const auto keeps = [&row](const Change& change) { return change(row); };
    if (std::ranges::all_of(changes_, keeps) && is(row)) return true;
  }
  return false;
}

void CsvTable::for_each_row(const std::function<void(Row&)>& use) const {
  any_row([&use](Row& row) {
    use(row);
    return false;
  });
}

std::optional<CsvTable::Row> CsvTable::first_row() const {
  std::optional<Row> first;
  any_row([&first](Row& row) {
    first = std::move(row);
    return true;
  });
  return first;
}

CsvTables read_csv_tables(std::string_view text, const std::string& file) {
  CsvReading reading = read_all(text, CsvQuotes::doubled, file);
  // If quotes follow backslashes, a reader that expects doubled quotes ends cells too early.
  if ((reading.uneven || reading.is_cut_off) && text.find("\\\"") != std::string_view::npos) {
    CsvReading other = read_all(text, CsvQuotes::after_backslash, file);
    if (!other.uneven && !other.is_cut_off) reading = std::move(other);
  }
  if (reading.first.empty()) throw Error(file + ": this file is empty", kFormatsRemedy);
  if (reading.tables.empty()) refuse_unread_text(text, file);
  check_columns(reading.tables.empty() ? reading.first : reading.tables.front().columns, file);
  if (reading.is_cut_off)
    throw Error(fmt::format("{}:{}: the file ends within quotation marks", file, reading.last_line),
                kCopiedWhole);
  if (const auto& row = reading.uneven)
    throw Error(
        fmt::format("{}:{}: the row has {} cells instead of {}", file, row->line, row->cells.size(),
                    reading.expected),
        row->cells.size() < reading.expected && !text.ends_with('\n') ? kCopiedWhole : kFormatsRemedy);
  if (reading.tables.empty()) throw Error(file + ": this table contains no kernels", kFormatsRemedy);
  const TableOrigin origin = common_origin(reading.tables, file);
  return {std::move(reading.tables), origin, text.ends_with('\n') || text.ends_with('\r')};
}

}  // namespace kjoule
