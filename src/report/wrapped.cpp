#include "report/wrapped.hpp"

#include <fmt/format.h>

#include "base/text/unicode.hpp"

namespace kjoule {

namespace {

size_t character_count(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count) take_character(text);
  return count;
}

/// Returns the first `count` characters of the text and removes them from it.
std::string_view take_characters(std::string_view& text, size_t count) {
  std::string_view rest = text;
  while (count-- > 0 && !rest.empty()) take_character(rest);
  const std::string_view taken = text.substr(0, text.size() - rest.size());
  text = rest;
  return taken;
}

/// Returns the text with spaces in words of more than `length` characters, at which they may be broken.
std::string with_breaks(std::string_view text, size_t length) {
  std::string broken;
  while (!text.empty()) {
    const size_t space = text.find(' ');
    std::string_view word = text.substr(0, space);
    while (character_count(word) > length) broken += std::string(take_characters(word, length)) + " ";
    broken += word;
    if (space == std::string_view::npos) break;
    broken += ' ';
    text = text.substr(space + 1);
  }
  return broken;
}

}  // namespace

std::string first_cell(std::string_view text, size_t width) {
  if (text.size() <= width) return fmt::format("  {:<{}}", text, width);
  return fmt::format("  {}\n  {:<{}}", text, "", width);
}

std::string table_row(std::string_view cells, std::string_view text, size_t width) {
  const size_t used = character_count(cells);
  return wrapped(cells, used < width ? with_breaks(text, width - used) : text, width);
}

std::string wrapped(std::string_view head, std::string_view text, size_t width) {
  const size_t indent = character_count(head);
  std::string lines;
  std::string line(head);
  size_t used = indent;
  bool is_empty = true;  // whether the line has no word yet
  while (!text.empty()) {
    const size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
    if (word.empty()) continue;
    const size_t length = character_count(word);
    if (!is_empty && used + 1 + length > width) {
      lines += line + "\n";
      line.assign(indent, ' ');
      used = indent;
      is_empty = true;
    }
    if (!is_empty) line += ' ', ++used;
    line += word;
    used += length;
    is_empty = false;
  }
  return lines + line + "\n";
}

}  // namespace kjoule
