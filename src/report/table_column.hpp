#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/csv.hpp"
#include "report/table_columns.hpp"

namespace kjoule {

/// Where a column is shown. A column may be shown in several places.
enum class Place : uint8_t {
  first_screen = 1,  ///< the table that a command prints by default
  details = 2,       ///< the table that it prints with -v
  csv = 4,
  json = 8,       ///< a field of an object in JSON
  listed = 16,    ///< the table of kernels that were recorded, but not measured
  isolated = 32,  ///< the table of kernels that were measured in isolation
};
constexpr uint8_t operator|(Place a, Place b) {
  return static_cast<uint8_t>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}
constexpr uint8_t operator|(uint8_t places, Place place) {
  return static_cast<uint8_t>(places | static_cast<uint8_t>(place));
}

/// A column of a table. Each line of the table shows one `Row`. It is declared once: the table on the screen,
/// the help of the command, CSV files and JSON reports are made from it, and tests compare schemas and the
/// reference page with it.
template <class Row>
struct TableColumn {
  std::string head;     ///< head on the screen, with the unit; empty if the column is in files only
  std::string key;      ///< name in files, with the unit; empty if the column is on the screen only
  std::string meaning;  ///< without the unit
  std::string unit;     ///< empty if the value has none
  uint8_t places = 0;   ///< all places where it is shown, joined by |
  /// Returns the text on the screen; an empty one if there is no value.
  std::function<std::string(const Row&)> cell;
  /// Returns the value in files; null if there is none.
  std::function<nlohmann::ordered_json(const Row&)> value;

  bool is_in(Place place) const { return (places & static_cast<uint8_t>(place)) != 0; }
  /// Returns the description of the field in a schema.
  std::string description() const {
    const std::string sentence =
        std::string(1, static_cast<char>(std::toupper(meaning[0]))) + meaning.substr(1);
    return sentence + "." + (unit.empty() ? std::string() : " Unit: " + unit + ".");
  }
};

/// Columns as they are shown on the screen: as wide as their heads and cells need.
template <class Row>
class ShownColumns {
 public:
  /// Takes the columns of this place that have a cell in at least one of the rows. A line has room for
  /// `width` bytes.
  ShownColumns(const std::vector<TableColumn<Row>>& columns, Place place, const std::vector<Row>& rows,
               size_t width) {
    for (const TableColumn<Row>& column : columns) {
      if (!column.is_in(place)) continue;
      size_t longest = 0;
      for (const Row& row : rows) longest = std::max(longest, column.cell(row).size());
      if (longest > 0) columns_.push_back({&column, std::max(longest, column.head.size())});
    }
    size_t needed = 0;
    for (const auto& [column, own] : columns_) needed += kGap.size() + own;
    gap_ = needed > width ? kGap.substr(1) : kGap;
  }

  /// Returns the heads, aligned as the cells.
  std::string heads() const {
    return line([](const TableColumn<Row>& column) { return column.head; });
  }
  /// Returns the cells of a row. A cell without a value is "-".
  std::string cells(const Row& row) const {
    return line([&](const TableColumn<Row>& column) {
      const std::string cell = column.cell(row);
      return cell.empty() ? std::string("-") : cell;
    });
  }

 private:
  static constexpr std::string_view kGap = "  ";
  template <class TextOf>
  std::string line(const TextOf& text_of) const {
    std::string text;
    for (const auto& [column, width] : columns_)
      text += fmt::format("{}{:>{}}", gap_, text_of(*column), width);
    return text;
  }

  std::vector<std::pair<const TableColumn<Row>*, size_t>> columns_;
  std::string_view gap_;
};

/// Returns the columns of a place as the help of a command explains them.
template <class Row>
std::vector<Column> explained(const std::vector<TableColumn<Row>>& columns, Place place) {
  std::vector<Column> explanations;
  for (const TableColumn<Row>& column : columns)
    if (column.is_in(place)) explanations.push_back({column.head, column.meaning});
  return explanations;
}

/// Returns a value of a file as a CSV cell: nothing for null and for numbers that are not finite.
inline std::string csv_cell(const nlohmann::ordered_json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? number_cell(value.get<double>()) : value.dump();
}

/// Returns the rows as CSV with a header line. Cells without a value are empty.
template <class Row>
std::string csv_text(const std::vector<TableColumn<Row>>& columns, const std::vector<Row>& rows) {
  std::vector<std::string> cells;
  for (const TableColumn<Row>& column : columns)
    if (column.is_in(Place::csv)) cells.push_back(column.key);
  std::string text = csv_line(cells) + "\n";
  for (const Row& row : rows) {
    cells.clear();
    for (const TableColumn<Row>& column : columns)
      if (column.is_in(Place::csv)) cells.push_back(csv_cell(column.value(row)));
    text += csv_line(cells) + "\n";
  }
  return text;
}

/// Returns the row as an object. Numbers without a value are null, and texts without one are absent.
template <class Row>
nlohmann::ordered_json json_object(const std::vector<TableColumn<Row>>& columns, const Row& row) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const TableColumn<Row>& column : columns)
    if (column.is_in(Place::json)) {
      nlohmann::ordered_json value = column.value(row);
      if (!value.is_null() || !column.unit.empty()) object[column.key] = std::move(value);
    }
  return object;
}

}  // namespace kjoule
