#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// Returns the cells as one RFC 4180 line without a newline. Cells are quoted if necessary. An apostrophe is
/// written before a cell that a spreadsheet would execute as a formula ("=1+1", "@SUM(1)"); CsvRows removes
/// it. Numbers are not changed.
std::string csv_line(const std::vector<std::string>& cells);

/// Returns whether csv_line() writes an apostrophe before a cell. It also writes one before a cell that
/// already begins with apostrophes and a formula, so that CsvRows, which removes one apostrophe, returns
/// every cell unchanged.
bool needs_apostrophe(std::string_view cell);

/// Returns the number with all its digits; an empty text if it is infinite or NaN.
std::string number_cell(double number);

}  // namespace kjoule
