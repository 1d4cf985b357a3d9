#include "base/csv.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kjoule {

namespace {

void append_quoted(std::string& line, std::string_view cell) {
  line += '"';
  for (const char c : cell) {
    if (c == '"') line += '"';
    line += c;
  }
  line += '"';
}

}  // namespace

std::string number_cell(double number) {
  return std::isfinite(number) ? fmt::format("{}", number) : "";
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (&cell != &cells.front()) line += ',';
    // A lone empty cell would otherwise be a blank line, which readers skip.
    const bool lone_empty = cells.size() == 1 && cell.empty();
    if (lone_empty || cell.find_first_of(",\"\r\n") != std::string::npos) {
      append_quoted(line, cell);
    } else {
      line += cell;
    }
  }
  return line;
}

}  // namespace kjoule
