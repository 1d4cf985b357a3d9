#include "importers/csv_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/files/csv_rows.hpp"
#include "importers/foreign_columns.hpp"
#include "importers/kernel_rows.hpp"

namespace kjoule {

namespace {

constexpr const char* kCopiedWhole = "check that the file was written to its end and copied completely";
constexpr size_t kMostLinesBefore = 100;  ///< largest number of lines before the table's header

/// All rows of a text for one style of quoting.
struct CsvReading {
  CsvTable table;
  std::optional<CsvTable::Row> uneven;  ///< the first row whose number of cells differs from the header's
  bool is_cut_off = false;              ///< whether the text ends within quotes
  size_t last_line = 0;                 ///< number of the line at which the last row begins
};

bool has_name_column(const std::vector<std::string>& cells) {
  return cells.size() > 1 && std::ranges::any_of(cells, is_name_column);
}

CsvReading read_all(std::string_view text, CsvQuotes quotes) {
  CsvReading reading;
  CsvRows rows(text, quotes);
  std::vector<std::string> cells;
  std::vector<CsvTable::Row> before;
  const auto is_header = [&] { return before.size() < kMostLinesBefore && has_name_column(cells); };
  bool has_header = false;
  while (rows.next(cells)) {
    if (has_header && cells.front().starts_with("==")) continue;
    if (!has_header && is_header()) {
      has_header = true;
      reading.table.columns = cells;
    } else if (!has_header) {
      before.push_back({cells, rows.line()});
    } else if (cells.size() != reading.table.columns.size()) {
      if (!reading.uneven) reading.uneven = CsvTable::Row{cells, rows.line()};
    } else {
      reading.table.rows.push_back({cells, rows.line()});
    }
    reading.is_cut_off = rows.cut_off();
    reading.last_line = rows.line();
  }
  if (!has_header && !before.empty()) reading.table.columns = before.front().cells;
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
  if (!std::ranges::any_of(columns, is_name_column))
    throw Error(file + ": the header (first line) has no column \"name\" for the names of kernels",
                kFormatsRemedy);
  if (has("replayed"))
    throw Error(file + ": this file is a result of kjoule isolated, not a kernel table",
                "pass the kernels.jsonl in the same folder");
}

}  // namespace

CsvTable read_csv_table(std::string_view text, const std::string& file) {
  CsvReading reading = read_all(text, CsvQuotes::doubled);
  // If quotes follow backslashes, a reader that expects doubled quotes ends cells too early.
  if ((reading.uneven || reading.is_cut_off) && text.find("\\\"") != std::string_view::npos) {
    CsvReading other = read_all(text, CsvQuotes::after_backslash);
    if (!other.uneven && !other.is_cut_off) reading = std::move(other);
  }
  CsvTable& table = reading.table;
  if (table.columns.empty()) throw Error(file + ": this file is empty", kFormatsRemedy);
  check_columns(table.columns, file);
  table.has_last_line_end = text.ends_with('\n') || text.ends_with('\r');
  if (reading.is_cut_off)
    throw Error(fmt::format("{}:{}: the file ends within quotation marks", file, reading.last_line),
                kCopiedWhole);
  if (const auto& row = reading.uneven)
    throw Error(
        fmt::format("{}:{}: the row has {} cells instead of {}", file, row->line, row->cells.size(),
                    table.columns.size()),
        row->cells.size() < table.columns.size() && !text.ends_with('\n') ? kCopiedWhole : kFormatsRemedy);
  return std::move(table);
}

}  // namespace kjoule
