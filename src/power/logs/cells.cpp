#include "power/logs/cells.hpp"

namespace kjoule {

namespace {

/// Returns the position of the quote that ends a cell, which begins with a quote at `begin`. Two quotes are
/// an escaped one.
size_t end_of_quoted(std::string_view line, size_t begin) {
  size_t quote = line.find('"', begin + 1);
  while (quote != std::string_view::npos && line.substr(quote).starts_with("\"\""))
    quote = line.find('"', quote + 2);
  return quote;
}

/// The most characters of a text from a file in a message.
constexpr size_t kPrinted = 60;

}  // namespace

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lowered;
}

std::string quoted_begin(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text.substr(0, kPrinted)) quoted += c >= ' ' && c < 127 ? c : '?';
  return quoted + (text.size() > kPrinted ? "..\"" : "\"");
}

void split_cells(std::string_view line, char separator, Cells& cells) {
  cells.clear();
  while (true) {
    const size_t start = line.find_first_not_of(' ');
    size_t end = 0;
    if (start != std::string_view::npos && line[start] == '"') {
      const size_t quote = end_of_quoted(line, start);
      end = line.find(separator, quote == std::string_view::npos ? start : quote);
    } else {
      end = line.find(separator);
    }
    std::string_view cell = trimmed(line.substr(0, end));
    if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"')
      cell = trimmed(cell.substr(1, cell.size() - 2), " ");
    cells.push_back(cell);
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
}

Cells split_cells(std::string_view line) {
  Cells cells;
  split_cells(line, ',', cells);
  return cells;
}

char separator_of(std::string_view header) {
  for (const char separator : {',', ';', '\t'})
    if (header.find(separator) != std::string_view::npos) return separator;
  return ',';
}

bool begins_like_name(std::string_view cell) {
  return !cell.empty() && std::string_view("+-.,0123456789").find(cell.front()) == std::string_view::npos;
}

bool is_missing_reading(std::string_view cell) {
  if (cell.empty() || cell.front() == '[') return true;
  const std::string text = lower(cell.substr(0, 5));
  return text == "n/a" || text == "nan" || text == "na" || text == "null" || text == "none" || text == "-";
}

}  // namespace kjoule
