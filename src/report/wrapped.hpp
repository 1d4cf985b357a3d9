#pragma once
#include <string>
#include <string_view>

namespace kjoule {

/// Most characters in a line of a report, so that it fits a terminal.
inline constexpr size_t kReportWidth = 80;

/// Returns the text in lines of at most `width` characters, broken at spaces, each with a line end. The first
/// line begins with `head`, the others with as many spaces. A word that is longer than a line is not broken.
std::string wrapped(std::string_view head, std::string_view text, size_t width = kReportWidth);
/// Returns the beginning of a row: two spaces and its first cell, which is padded to `width` characters. A
/// longer text gets a line of its own, and the row continues in the next line.
std::string first_cell(std::string_view text, size_t width);
/// Returns a row of a table as wrapped() does: `cells` are all but the last cell, `text` is the last one. If
/// a word is longer than its cell, the text gets lines of its own below the other cells. A word that is also
/// longer than such a line is broken, after a punctuation mark if possible.
std::string table_row(std::string_view cells, std::string_view text, size_t width = kReportWidth);

}  // namespace kjoule
