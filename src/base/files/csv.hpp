#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// Returns the cells as one RFC 4180 line without a newline. Cells are quoted if necessary. A cell that a
/// spreadsheet would execute as a formula ("=1+1", "@SUM(1)") gets an apostrophe in front, which CsvRows
/// removes; numbers stay numbers.
std::string csv_line(const std::vector<std::string>& cells);

/// Returns whether csv_line() puts an apostrophe in front of a cell. This includes cells that begin with
/// apostrophes and then a formula, so that every cell is read as it was written.
bool needs_apostrophe(std::string_view cell);

/// Returns the number with all its digits; an empty text if it is infinite or NaN.
std::string number_cell(double number);

}  // namespace kjoule
