#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/csv.hpp"
#include "base/json/dump_json.hpp"
#include "report/table_columns.hpp"

namespace kjoule {

/// An output that may show a column. Several outputs may show the same column.
enum class Place : uint8_t {
  first_screen = 1,  ///< the table that a command prints by default
  details = 2,       ///< the table that it prints with -v
  csv = 4,
  json = 8,         ///< a field of an object in JSON
  listed = 16,      ///< the table of kernels that were recorded, but not measured
  isolated = 32,    ///< the table of kernels that were measured in isolation
  in_percent = 64,  ///< the table of changes in % of earlier values
};

/// The outputs that show a column (tables on the screen, CSV, JSON), combined with |.
class Places {
 public:
  constexpr Places() = default;
  constexpr Places(Place place) : bits_(static_cast<uint8_t>(place)) {}
  constexpr bool contain_any_of(Places others) const { return (bits_ & others.bits_) != 0; }
  friend constexpr Places operator|(Places a, Places b) {
    a.bits_ = static_cast<uint8_t>(a.bits_ | b.bits_);
    return a;
  }

 private:
  uint8_t bits_ = 0;
};
constexpr Places operator|(Place a, Place b) {
  return Places(a) | Places(b);
}
inline constexpr Places kFiles = Place::csv | Place::json;
inline constexpr Places kScreenAndFiles = Place::first_screen | kFiles;

/// A column of a table. Each line of the table shows one `Row`. It is declared once: the table on the screen,
/// the help of the command, CSV files and JSON reports are made from it, and tests compare schemas and the
/// reference page with it.
template <class Row>
struct TableColumn {
  std::string head;     ///< head on the screen, with the unit; empty if the column is in files only
  std::string key;      ///< name in files, with the unit; empty if the column is on the screen only
  std::string meaning;  ///< without the unit
  std::string unit;     ///< empty if the value has none
  Places places;
  /// Returns the text on the screen; an empty one if there is no value. No function if the column is text at
  /// the end of a line or above it, such as a name, which is not aligned.
  std::function<std::string(const Row&)> cell;
  /// Returns the value in files; null if there is none.
  std::function<nlohmann::ordered_json(const Row&)> value;
  /// Least width on the screen, in bytes. A column with a least width is shown even if no row has a value; 0:
  /// it is as wide as necessary.
  size_t least_width = 0;

  /// Returns a column that is in files, but not on the screen.
  static TableColumn in_files(std::string key, std::string meaning, std::string unit, Places places,
                              std::function<nlohmann::ordered_json(const Row&)> value) {
    return {{}, std::move(key), std::move(meaning), std::move(unit), places, {}, std::move(value)};
  }
  /// Returns a column that is on the screen, but not in files.
  static TableColumn on_screen(std::string head, std::string meaning, Places places,
                               std::function<std::string(const Row&)> cell, size_t least_width = 0) {
    return {std::move(head), {}, std::move(meaning), {}, places, std::move(cell), {}, least_width};
  }
  /// Returns a column of numbers, which the screen shows with `decimals` decimals.
  static TableColumn number(std::string head, std::string key, std::string meaning, std::string unit,
                            Places places, std::function<nlohmann::ordered_json(const Row&)> value,
                            int decimals, size_t least_width = 0) {
    const auto cell = [value, decimals](const Row& row) {
      const nlohmann::ordered_json of = value(row);
      return of.is_null() ? std::string() : fmt::format("{:.{}f}", of.template get<double>(), decimals);
    };
    return {std::move(head), std::move(key), std::move(meaning), std::move(unit),
            places,          cell,           std::move(value),   least_width};
  }

  /// Returns whether it is shown in at least one of these places.
  bool is_in(Places any) const { return places.contain_any_of(any); }
  /// Returns the description of the field in a schema.
  std::string description() const {
    const std::string sentence =
        std::string(1, static_cast<char>(std::toupper(meaning[0]))) + meaning.substr(1);
    return sentence + "." + (unit.empty() ? std::string() : " Unit: " + unit + ".");
  }
};

/// Numbers of spaces before the first column of a table and before each further one.
struct ColumnGaps {
  size_t first = 0, further = 1;
};

/// Columns as they are shown on the screen: as wide as their heads and cells need.
template <class Row>
class ShownColumns {
 public:
  /// Takes the columns of this place that have a least width, or a cell in at least one of the rows.
  ShownColumns(const std::vector<TableColumn<Row>>& columns, Place place, const std::vector<Row>& rows,
               ColumnGaps gaps)
      : gaps_(gaps) {
    for (const TableColumn<Row>& column : columns) {
      if (!column.is_in(place) || !column.cell) continue;
      size_t longest = column.least_width;
      for (const Row& row : rows) longest = std::max(longest, column.cell(row).size());
      if (longest > 0) columns_.push_back({&column, std::max(longest, column.head.size())});
    }
  }
  /// Takes the same columns, with two spaces before each; one if a line has no room for two in `width` bytes.
  ShownColumns(const std::vector<TableColumn<Row>>& columns, Place place, const std::vector<Row>& rows,
               size_t width)
      : ShownColumns(columns, place, rows, ColumnGaps{2, 2}) {
    if (heads().size() > width) gaps_ = {1, 1};
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
  template <class TextOf>
  std::string line(const TextOf& text_of) const {
    std::string text;
    size_t gap = gaps_.first;
    for (const auto& [column, width] : columns_) {
      text += fmt::format("{:{}}{:>{}}", "", gap, text_of(*column), width);
      gap = gaps_.further;
    }
    return text;
  }

  std::vector<std::pair<const TableColumn<Row>*, size_t>> columns_;
  ColumnGaps gaps_;
};

/// Returns the columns of these places as the help of a command explains them. The first of several columns
/// with one head explains all of them.
template <class Row>
std::vector<Column> explained(const std::vector<TableColumn<Row>>& columns, Places places) {
  std::vector<Column> explanations;
  for (const TableColumn<Row>& column : columns)
    if (column.is_in(places) &&
        std::ranges::find(explanations, column.head, &Column::head) == explanations.end())
      explanations.push_back({column.head, column.meaning});
  return explanations;
}

/// Returns the text as the value of a column; no value if it is empty.
inline nlohmann::ordered_json text_json(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

/// Returns the columns of all lists, one list after another.
template <class Row>
std::vector<TableColumn<Row>> joined(std::initializer_list<std::vector<TableColumn<Row>>> lists) {
  std::vector<TableColumn<Row>> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

/// Returns a value of a file as a CSV cell: nothing for null and for numbers that are not finite.
inline std::string csv_cell(const nlohmann::ordered_json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? number_cell(value.get<double>()) : dump_json(value);
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
