#include "report/wrapped.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/unicode.hpp"

namespace kjoule {

namespace {

/// Indent of the lines that continue a row.
constexpr std::string_view kContinued = "    ";

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

size_t longest_word(std::string_view text) {
  size_t longest = 0;
  while (!text.empty()) {
    const size_t length = std::min(text.find(' '), text.size());
    longest = std::max(longest, character_count(text.substr(0, length)));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return longest;
}

/// Returns how many characters of a long word are put into a line of `length` characters: up to the last
/// punctuation mark in the second half of the line, or `length` if there is none.
size_t break_of(std::string_view word, size_t length) {
  constexpr std::string_view kMarks = ",;:<>()[]{}/_-.=|&*";
  size_t best = length;
  for (size_t count = 1; count <= length && !word.empty(); ++count) {
    if (2 * count > length && kMarks.find(word.front()) != std::string_view::npos) best = count;
    take_character(word);
  }
  return best;
}

/// Returns the text with spaces in words of more than `length` characters, at which they may be broken.
std::string with_breaks(std::string_view text, size_t length) {
  std::string broken;
  while (!text.empty()) {
    const size_t space = text.find(' ');
    std::string_view word = text.substr(0, space);
    while (character_count(word) > length)
      broken += std::string(take_characters(word, break_of(word, length))) + " ";
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
  if (used + longest_word(text) <= width) return wrapped(cells, text, width);
  std::string_view indent = used < width ? cells : kContinued;
  std::string lines;
  if (const size_t end = cells.find_last_not_of(' '); end != std::string_view::npos) {
    lines = std::string(cells.substr(0, end + 1)) + "\n";
    indent = kContinued;
  }
  return lines + wrapped(indent, with_breaks(text, width - indent.size()), width);
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
