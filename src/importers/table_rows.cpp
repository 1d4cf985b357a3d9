#include "importers/table_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/json/dump_json.hpp"
#include "base/text/parse_number.hpp"
#include "importers/decimal_time.hpp"
#include "importers/kernel_fields.hpp"
#include "importers/kernel_heading.hpp"
#include "importers/time_unit.hpp"

namespace kjoule {

namespace {

/// Headings that name times, although they state no unit. Other such headings are only reported.
constexpr std::string_view kNeedUnit[] = {
    "Total Time", "Avg", "Average", "Min", "Minimum", "Max", "Maximum", "Duration", "gpu__time_duration.sum"};
constexpr std::array<const char*, 4> kUnits = {"ns", "us", "ms", "s"};
constexpr double kUnitRounding =
    0.01;  ///< largest relative difference of a total and its mean times launches
constexpr size_t kBlockBytes = size_t{1} << 20;  ///< rows are read as JSON when so many bytes are converted

/// Returns whether a text is one array or object, and nothing follows it, as far as brackets and quotes show.
bool is_one_value(std::string_view text) {
  if (!text.starts_with('[') && !text.starts_with('{')) return false;
  size_t depth = 0, at = 0;
  bool is_quoted = false;
  for (; at < text.size() && (at == 0 || depth > 0); ++at) {
    const char c = text[at];
    if (c == '"') is_quoted = !is_quoted;
    if (is_quoted && c == '\\') ++at;
    if (is_quoted) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
  }
  return depth == 0 && at == text.size();
}

/// Returns a cell as JSON: arrays and objects of fields that kjoule reads unchanged, everything else as text.
std::string cell_json(const std::string& field, const std::string& cell) {
  return is_one_value(cell) && field != "operator" && is_kernel_field(field) ? cell : quote_json(cell);
}

/// Returns "16x1x1" for "(16, 1, 1)" or " 16    1    1"; other texts unchanged.
std::string extent_text(const std::string& cell) {
  if (cell.find_first_of(" (") == std::string::npos) return cell;
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

/// Appends a row as JSON with the fields of read_kernel_row().
void append_json(std::string& json, const std::vector<std::string>& cells,
                 const std::vector<ForeignColumn>& columns, const DigitStyle& style) {
  std::map<std::string, std::string> parts;  // grid and block of three columns
  json += '{';
  const auto add = [&](const std::string& field, const std::string& value) {
    if (json.back() != '{') json += ',';
    json += quote_json(field);
    json += ':';
    json += value;
  };
  for (size_t c = 0; c < cells.size(); ++c) {
    const ForeignColumn& column = columns[c];
    switch (column.kind) {
      case ColumnKind::name:
        add(column.field, quote_json(plain_kernel_name(cells[c])));
        break;
      case ColumnKind::number:
        add(column.field, quote_json(style.plain(cells[c]).value_or(cells[c])));
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
      case ColumnKind::field:
        add(column.field, cell_json(column.field, cells[c]));
        break;
      case ColumnKind::passed:
        break;
    }
  }
  for (const auto& [field, extent] : parts) add(field, quote_json(extent));
  json += '}';
}

/// Returns the time in a cell such as "12.5ms", in us; nothing if the cell states no unit.
std::optional<std::string> time_with_unit(const std::string& cell) {
  const size_t end = cell.find_last_of("0123456789") + 1;  // 0 if there is no digit
  const size_t unit = std::min(cell.find_first_not_of(' ', end), cell.size());
  const auto power = power_of_unit(std::string_view(cell).substr(unit));
  return end > 0 && power ? time_in_us(cell.substr(0, end), *power) : std::nullopt;
}

bool needs_unit(const std::string& column) {
  return std::ranges::find(kNeedUnit, column) != std::end(kNeedUnit);
}

/// The columns of a table whose relation shows a unit.
struct TimeColumns {
  std::optional<size_t> count, total, mean;
};

TimeColumns find_time_columns(const std::vector<std::string>& columns) {
  TimeColumns found;
  for (size_t c = 0; c < columns.size(); ++c) {
    const HeadingMeaning meaning = read_kernel_heading(columns[c]).meaning;
    if (meaning == HeadingMeaning::count && !found.count) found.count = c;
    if (meaning == HeadingMeaning::total && !found.total) found.total = c;
    if (meaning == HeadingMeaning::mean && !found.mean) found.mean = c;
  }
  return found;
}

std::optional<double> number_of_cell(const std::string& cell, const DigitStyle& style) {
  return parse_number(style.plain(cell).value_or(cell));
}

/// Removes the factors for which not in all rows the total, multiplied by the factor, is the mean times the
/// number of launches. Without any row that has these numbers, removes all factors.
void keep_products(std::vector<double>& factors, const CsvTable& table, const TimeColumns& columns,
                   const DigitStyle& style) {
  bool compared = false;
  table.any_row([&](const CsvTable::Row& row) {
    const auto count = number_of_cell(row.cells[*columns.count], style),
               total = number_of_cell(row.cells[*columns.total], style),
               mean = number_of_cell(row.cells[*columns.mean], style);
    if (!count || !total || !mean || *total <= 0) return false;
    compared = true;
    std::erase_if(factors, [&](double factor) {
      return std::abs(*total * factor - *count * *mean) > kUnitRounding * *total * factor;
    });
    return factors.empty();
  });
  if (!compared) factors.clear();
}

/// Returns the unit of the mean, or of the total, that states none, from the unit of the other; nothing if
/// the product of number of launches and mean does not show it.
const char* find_unit(const CsvTable& table, const DigitStyle& style) {
  const TimeColumns columns = find_time_columns(table.columns);
  if (!columns.count || !columns.total || !columns.mean) return nullptr;
  const auto total = read_kernel_heading(table.columns[*columns.total]).power,
             mean = read_kernel_heading(table.columns[*columns.mean]).power;
  if (total.has_value() == mean.has_value()) return nullptr;
  const auto factor_of = [&](const char* unit) {
    const int of_unit = *power_of_unit(unit);
    return std::pow(10., total.value_or(of_unit) - mean.value_or(of_unit));
  };
  std::vector<double> factors;
  for (const char* unit : kUnits) factors.push_back(factor_of(unit));
  keep_products(factors, table, columns, style);
  for (const char* unit : kUnits)
    if (std::ranges::find(factors, factor_of(unit)) != factors.end()) return unit;
  return nullptr;
}

}  // namespace

void TableRows::add(const CsvTable& table, const std::vector<ForeignColumn>& columns,
                    const DigitStyle& style) {
  table.for_each_row([&](const CsvTable::Row& row) { add(row, columns, style); });
}

void TableRows::add(const CsvTable::Row& row, const std::vector<ForeignColumn>& columns,
                    const DigitStyle& style) {
  if (block_.size() >= kBlockBytes) take_block();
  if (block_.empty()) block_line_ = line_ = row.line;
  block_.append(row.line - line_, '\n');
  line_ = row.line;
  append_json(block_, row.cells, columns, style);
}

void TableRows::take_block() {
  const PaddedText text = PaddedText::copy_of(block_);
  JsonCursor cursor(text, file_, kFormatsRemedy, block_line_);
  while (!cursor.at_end()) kernels_.add(read_kernel_row(cursor), cursor);
  block_.clear();
}

ImportedTable TableRows::finish() {
  take_block();
  ImportedTable table = kernels_.finish(format);
  table.warnings.insert(table.warnings.end(), warnings.begin(), warnings.end());
  return table;
}

DigitStyle digit_style_of(const CsvTable& table, const std::vector<ForeignColumn>& columns,
                          const std::string& file) {
  DigitStyle style;
  const bool has_launches = std::ranges::find(columns, "launches", &ForeignColumn::field) != columns.end();
  std::vector<std::pair<size_t, bool>> numbers;  // columns, and whether their numbers are whole
  for (size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].kind != ColumnKind::number) continue;
    const bool is_count = read_kernel_heading(columns[c].field).meaning == HeadingMeaning::count;
    // In a table with launches, as kjoule writes it, the count is that of one iteration and has a fraction.
    numbers.emplace_back(c, is_count && (!has_launches || columns[c].field == "launches"));
  }
  table.for_each_row([&](const CsvTable::Row& row) {
    for (const auto& [column, is_count] : numbers) style.observe(row.cells[column], is_count);
  });
  if (const std::string conflict = style.conflict(); !conflict.empty())
    throw Error(fmt::format("{}: {}", file, conflict), kDigitsRemedy);
  return style;
}

std::optional<std::string> time_in_us(std::string_view number, int unit_power) {
  const size_t exponent = std::min(number.find_first_of("eE"), number.size());
  const auto power = power_of_exponent(number.substr(exponent));
  constexpr int kMostPower = 400;  // no time has a larger one
  if (!power || std::abs(*power) > kMostPower) return {};
  return fmt::format("{}e{}", number.substr(0, exponent), unit_power + *power);
}

void take_units_of_cells(CsvTable& table) {
  std::vector<size_t> times;
  for (size_t c = 0; c < table.columns.size(); ++c)
    if (const KernelHeading heading = read_kernel_heading(table.columns[c]);
        heading.is_time() && !heading.power)
      times.push_back(c);
  if (times.empty() || !table.first_row()) return;
  table.any_row([&times](const CsvTable::Row& row) {
    std::erase_if(times, [&](size_t c) { return !time_with_unit(row.cells[c]); });
    return times.empty();
  });
  if (times.empty()) return;
  for (const size_t c : times) table.columns[c] += " (us)";
  table.change_rows([times](CsvTable::Row& row) {
    for (const size_t c : times) row.cells[c] = time_with_unit(row.cells[c]).value_or("");
    return true;
  });
}

void set_units(CsvTable& table, std::string_view unit) {
  for (std::string& column : table.columns)
    if (const KernelHeading heading = read_kernel_heading(column); heading.is_time() && !heading.power)
      column = fmt::format("{} ({})", column, unit);
}

void complete_units(CsvTable& table, const DigitStyle& style, const std::string& file) {
  if (std::ranges::none_of(table.columns, needs_unit)) return;
  const bool is_total = std::ranges::any_of(table.columns, [](const std::string& column) {
    return needs_unit(column) && read_kernel_heading(column).meaning == HeadingMeaning::total;
  });
  const char* const unit = find_unit(table, style);
  for (std::string& column : table.columns) {
    if (!needs_unit(column)) continue;
    // The unit of the total says nothing about columns that the relation does not contain.
    if (unit == nullptr || is_total != (read_kernel_heading(column).meaning == HeadingMeaning::total))
      throw Error(fmt::format("{}: the column \"{}\" states no unit of time", file, column),
                  fmt::format("write the unit into the heading, such as \"{} (ns)\"", column));
    column = fmt::format("{} ({})", column, unit);
  }
}

}  // namespace kjoule
