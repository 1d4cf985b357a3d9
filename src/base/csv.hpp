#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// One RFC 4180 line without its newline: cells are quoted where they need to be.
std::string csv_line(const std::vector<std::string>& cells);

/// The number with all its digits; empty where it is infinite or none.
std::string number_cell(double number);

}  // namespace kjoule
