#pragma once
#include <algorithm>
#include <cctype>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "report/table_column.hpp"

namespace kjoule {

/// The name of a row: the text that its cell shows, and the full text, which the reader can open.
struct RowName {
  std::string shown;
  std::string full{};  ///< empty if it is not longer than `shown`
  size_t depth = 0;    ///< in a tree; rows of the next depth follow their parent
};

/// A table of a page. Its first column has the names of the rows; all others are made from the declarations
/// of a table on the screen.
class PageTable {
 public:
  /// `caption` says what the rows are; `name_head` is the head of the column of names.
  PageTable(std::string caption, std::string name_head)
      : json_{{"caption", std::move(caption)},
              {"nameHead", std::move(name_head)},
              {"columns", nlohmann::ordered_json::array()},
              {"rows", nlohmann::ordered_json::array()}} {}

  /// Adds the rows, and those of the columns in `places` that have a cell in at least one row. Columns whose
  /// heads are in `bars` get a bar in proportion to their value.
  template <class Row>
  void fill(const std::vector<TableColumn<Row>>& columns, Places places, const std::vector<Row>& rows,
            const std::function<RowName(const Row&)>& name_of, const std::vector<std::string>& bars = {}) {
    std::vector<const TableColumn<Row>*> shown;
    for (const TableColumn<Row>& column : columns)
      if (column.is_in(places) && column.cell &&
          std::ranges::any_of(rows, [&](const Row& row) { return !column.cell(row).empty(); })) {
        shown.push_back(&column);
        json_["columns"].push_back(head_json(
            column.head, column.meaning, std::ranges::find(bars, column.head) != bars.end(),
            std::ranges::all_of(rows, [&](const Row& row) { return is_numeric(column.cell(row)); })));
      }
    for (const Row& row : rows) {
      nlohmann::ordered_json cells = nlohmann::ordered_json::array();
      for (const TableColumn<Row>* column : shown)
        cells.push_back(
            cell_json(column->cell(row), column->value ? column->value(row) : nlohmann::ordered_json()));
      add_row(name_of(row), std::move(cells));
    }
  }

  /// Lets the reader sort the rows, and search them if there are more than a few. `sorted` is the head of the
  /// column by which they are sorted now, the largest first.
  void let_sort(const std::string& sorted) { json_["sorted"] = sorted; }

  /// Draws the bars of all columns on one scale, so that they can be compared with each other.
  void share_bars() { json_["sharedBars"] = true; }

  bool is_empty() const { return json_.at("rows").empty(); }
  const nlohmann::ordered_json& json() const { return json_; }

 private:
  static bool is_numeric(const std::string& cell) {
    return cell.empty() || cell == "-" || cell[0] == '<' || cell[0] == '>' || cell[0] == '+' ||
           cell[0] == '-' || std::isdigit(static_cast<unsigned char>(cell[0])) != 0;
  }
  static nlohmann::ordered_json head_json(const std::string& head, const std::string& meaning, bool has_bar,
                                          bool is_number) {
    return {{"head", head}, {"meaning", meaning}, {"bar", has_bar}, {"number", is_number}};
  }
  /// Returns the text of a cell, with the value by which it is sorted if that is a number.
  static nlohmann::ordered_json cell_json(const std::string& text, const nlohmann::ordered_json& value) {
    if (value.is_number()) return {text, value};
    return text;
  }
  void add_row(const RowName& name, nlohmann::ordered_json cells) {
    nlohmann::ordered_json row{{"name", name.shown}, {"cells", std::move(cells)}};
    if (!name.full.empty() && name.full != name.shown) row["full"] = name.full;
    if (name.depth > 0) row["depth"] = name.depth;
    json_["rows"].push_back(std::move(row));
  }

  nlohmann::ordered_json json_;
};

}  // namespace kjoule
