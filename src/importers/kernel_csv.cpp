#include "importers/kernel_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/json/dump_json.hpp"
#include "base/text/parse_number.hpp"
#include "importers/csv_table.hpp"
#include "importers/foreign_columns.hpp"
#include "importers/kernel_rows.hpp"

namespace kjoule {

namespace {

/// Returns a cell as JSON: arrays and objects unchanged, everything else as text.
std::string cell_json(const std::string& field, const std::string& cell) {
  const bool is_json = !cell.empty() && (cell.front() == '[' || cell.front() == '{');
  return field != "operator" && is_json ? cell : quote_json(cell);
}

/// Returns the number in a cell, which may contain commas between thousands.
std::optional<double> number_of(std::string cell) {
  std::erase(cell, ',');
  return parse_number(cell);
}

/// Returns a time in us as text. Returns a cell that is not a number unchanged, so that read_kernel_row()
/// reports it.
std::string time_text(const std::string& cell, double unit_us) {
  const auto number = number_of(cell);
  return number && unit_us != 1 ? fmt::format("{:.6f}", *number * unit_us) : cell;
}

/// Returns "16x1x1" for "(16, 1, 1)", "16,1,1" or " 16    1    1"; other texts unchanged.
std::string extent_text(const std::string& cell) {
  std::string text;
  for (const char one : cell) {
    if (one >= '0' && one <= '9') {
      text += one;
    } else if (one == ' ' || one == ',' || one == '(' || one == ')') {
      if (!text.empty() && text.back() != 'x') text += 'x';
    } else {
      return cell;
    }
  }
  if (text.ends_with('x')) text.pop_back();
  return text;
}

/// Returns the device number in a cell: "0" for "NVIDIA A100 (0)"; other texts unchanged.
std::string device_text(const std::string& cell) {
  const size_t open = cell.rfind('(');
  return open != std::string::npos && cell.ends_with(')') ? cell.substr(open + 1, cell.size() - open - 2)
                                                          : cell;
}

/// Returns a row as JSON with the fields of read_kernel_row().
std::string row_json(const std::vector<std::string>& cells, const std::vector<ForeignColumn>& columns) {
  std::map<std::string, std::string> parts;  // grid and block of three columns
  std::string json = "{";
  const auto add = [&](const std::string& field, const std::string& value) {
    json += fmt::format("{}{}:{}", json.size() > 1 ? "," : "", quote_json(field), value);
  };
  for (size_t c = 0; c < cells.size(); ++c) {
    const ForeignColumn& column = columns[c];
    switch (column.kind) {
      case ColumnKind::name:
        add(column.field, quote_json(plain_kernel_name(cells[c])));
        break;
      case ColumnKind::time:
        add(column.field, quote_json(time_text(cells[c], column.unit_us)));
        break;
      case ColumnKind::extent:
        add(column.field, quote_json(extent_text(cells[c])));
        break;
      case ColumnKind::grid_part:
        if (!cells[c].empty()) parts[column.field] += (parts[column.field].empty() ? "" : "x") + cells[c];
        break;
      case ColumnKind::device:
        if (cells[c] != "unknown") add(column.field, quote_json(device_text(cells[c])));
        break;
      case ColumnKind::count:
      case ColumnKind::field:
        add(column.field, cell_json(column.field, cells[c]));
        break;
      case ColumnKind::passed:
        break;
    }
  }
  for (const auto& [field, extent] : parts) add(field, quote_json(extent));
  return json + "}";
}

size_t position_of(const CsvTable& table, const char* column) {
  return static_cast<size_t>(std::ranges::find(table.columns, column) - table.columns.begin());
}

/// Joins the lines of ncu --csv, which writes one for each metric of a launch, into one row per launch. The
/// launch's duration is read from its metric. Does not change tables without metrics.
void join_metrics(CsvTable& table, std::vector<ForeignColumn>& columns) {
  const size_t id = position_of(table, "ID"), process = position_of(table, "Process ID"),
               metric = position_of(table, "Metric Name"), unit = position_of(table, "Metric Unit"),
               value = position_of(table, "Metric Value"), width = table.columns.size();
  if (std::max({id, metric, unit, value}) >= width) return;
  std::vector<CsvTable::Row> launches;
  std::map<std::pair<std::string, std::string>, size_t> places;
  for (CsvTable::Row& row : table.rows) {
    const auto [place, is_new] =
        places.try_emplace({process < width ? row.cells[process] : "", row.cells[id]}, launches.size());
    const bool is_time = row.cells[metric] == "Duration" || row.cells[metric] == "gpu__time_duration.sum";
    const auto us = is_time ? time_unit_us(row.cells[unit]) : std::nullopt;
    const std::string duration = us ? time_text(row.cells[value], *us) : "";
    if (is_new) {
      launches.push_back(std::move(row));
      launches.back().cells.emplace_back();
    }
    if (!duration.empty()) launches[place->second].cells.back() = duration;
  }
  table.columns.emplace_back("duration");
  columns.push_back({ColumnKind::field, "dur"});
  table.rows = std::move(launches);
}

/// Removes the line that contains the units in a table of ncu --page raw, and applies its units to times.
void take_units(CsvTable& table, std::vector<ForeignColumn>& columns) {
  const size_t id = position_of(table, "ID");
  if (id >= table.columns.size() || table.rows.empty() || !table.rows.front().cells[id].empty()) return;
  for (size_t c = 0; c < columns.size(); ++c)
    if (columns[c].kind == ColumnKind::time)
      columns[c].unit_us = time_unit_us(table.rows.front().cells[c]).value_or(columns[c].unit_us);
  table.rows.erase(table.rows.begin());
}

/// Returns the rows as lines of JSON. Each has the line number of its row in the file, for errors.
std::string jsonl_of(const CsvTable& table, const std::vector<ForeignColumn>& columns) {
  std::string jsonl;
  size_t line = 1;
  for (const CsvTable::Row& row : table.rows) {
    for (; line < row.line; ++line) jsonl += '\n';
    jsonl += row_json(row.cells, columns);
  }
  return jsonl;
}

}  // namespace

ImportedTable read_kernel_csv(const PaddedText& text, const ImportChoice& choice, const std::string& file) {
  CsvTable csv = read_csv_table(text.view(), file);
  std::vector<ForeignColumn> columns = foreign_columns(csv.columns);
  take_units(csv, columns);
  join_metrics(csv, columns);
  ImportedTable table =
      read_kernel_rows(PaddedText::copy_of(jsonl_of(csv, columns)), choice, file, "kernel CSV");
  if (!csv.has_last_line_end)
    table.warnings.emplace_back(
        "the last line has no line end: the end of its last cell, or further lines, may be missing");
  return table;
}

}  // namespace kjoule
