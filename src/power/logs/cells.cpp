#include "power/logs/cells.hpp"

#include "base/parse_number.hpp"

namespace kjoule {

namespace {

std::string_view trimmed(std::string_view text) {
  const size_t from = text.find_first_not_of(" \t\r\n");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r\n") - from + 1);
}

}  // namespace

std::vector<std::string> split_cells(std::string_view line) {
  std::vector<std::string> cells;
  std::string cell;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back(trimmed(cell));
      cell.clear();
    } else {
      cell += c;
    }
  }
  cells.emplace_back(trimmed(cell));
  return cells;
}

std::optional<double> parse_watts(std::string_view cell) {
  cell = trimmed(cell);
  const size_t blank = cell.find(' ');
  const std::string_view unit = blank == std::string_view::npos ? "W" : trimmed(cell.substr(blank));
  const auto number = parse_number(cell.substr(0, blank));
  if (!number) return {};
  if (unit == "W") return number;
  if (unit == "mW") return *number / 1000;
  if (unit == "kW") return *number * 1000;
  return {};
}

}  // namespace kjoule
