#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compare/changes/difference.hpp"
#include "report/difference_text.hpp"

namespace kjoule {

/// One line of a table of changes, with the values as texts. Texts are empty where nothing was measured.
struct DifferenceRow {
  std::string name;
  std::string before, after;       ///< in the unit of the table
  std::string change;              ///< after - before, in the unit of the table, or in percent
  std::string half_width;          ///< of the change's 95 % interval, in the same unit
  std::string verdict;             ///< "changed" if the 95 % interval of the change excludes 0, otherwise "-"
  std::vector<std::string> notes;  ///< one line for each launch that was removed or added
};

/// A table of changes.
struct DifferenceTable {
  std::string title;
  std::string unit;         ///< of the values before and after; empty if each row's name has its own
  std::string change_unit;  ///< unit of the change
  std::vector<DifferenceRow> rows;
  std::string rest;  ///< sentence about what the table does not list; may be empty
};

/// Returns the tables of a difference: for each iteration its totals, the kernels whose time changed and
/// those whose energy changed, then the layers. A table without rows has only the sentence.
std::vector<DifferenceTable> difference_tables(const Difference& difference, const DifferenceStyle& style);

}  // namespace kjoule
