#pragma once
#include <string>
#include <vector>

#include "compare/changes/difference.hpp"
#include "report/difference_columns.hpp"
#include "report/difference_text.hpp"

namespace kjoule {

/// One line of a table of changes.
struct DifferenceRow {
  std::string name;
  ReportedChange change;
  std::vector<std::string> notes;  ///< one line for each launch that was removed or added
};

/// A table of changes.
struct DifferenceTable {
  std::string title;
  /// Unit of the values and their changes; empty if each row's name has its own and changes are in %.
  std::string unit;
  std::vector<DifferenceRow> rows;
  std::string rest;  ///< sentence about what the table does not list; may be empty

  Place place() const { return unit.empty() ? Place::in_percent : Place::first_screen; }
};

/// Returns the columns of a table that has rows, in their order. Heads of values contain the table's unit
/// after `before_unit`.
std::vector<TableColumn<ReportedChange>> table_columns_of(const DifferenceTable& table,
                                                          const char* before_unit);

/// Returns the tables of a difference: for each iteration its totals, the kernels whose time changed and
/// those whose energy changed, then the layers. A table without rows has only the sentence.
std::vector<DifferenceTable> difference_tables(const Difference& difference, const DifferenceStyle& style);

}  // namespace kjoule
