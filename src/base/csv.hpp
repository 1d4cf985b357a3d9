#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// Returns the cells as one RFC 4180 line without a newline. Cells are quoted if necessary.
std::string csv_line(const std::vector<std::string>& cells);

/// Returns the number with all its digits; an empty text if it is infinite or NaN.
std::string number_cell(double number);

}  // namespace kjoule
