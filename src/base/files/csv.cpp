#include "base/files/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/text/parse_number.hpp"

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

/// Returns whether the text is a number with a sign: "-1.5", "+2".
bool is_signed_number(std::string_view text) {
  if (text.size() < 2 || (text[0] != '-' && text[0] != '+')) return false;
  const bool has_digits = std::isdigit(static_cast<unsigned char>(text[1])) != 0 || text[1] == '.';
  return has_digits && parse_number(text.substr(1)).has_value();
}

}  // namespace

bool needs_apostrophe(std::string_view cell) {
  cell.remove_prefix(std::min(cell.find_first_not_of('\''), cell.size()));
  if (cell.size() < 2 || std::string_view("=+-@\t\r\n").find(cell[0]) == std::string_view::npos) return false;
  return !is_signed_number(cell);
}

std::string number_cell(double number) {
  return std::isfinite(number) ? fmt::format("{}", number) : "";
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& given : cells) {
    if (&given != &cells.front()) line += ',';
    const std::string cell = needs_apostrophe(given) ? "'" + given : given;
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
