#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// The cells of a line, which are parts of its text.
using Cells = std::vector<std::string_view>;

/// Splits a line into `cells`, whose memory is reused, and removes the blanks and quotes around each cell.
/// Escaped quotes within a quoted cell stay escaped, because neither times nor powers contain any.
void split_cells(std::string_view line, char separator, Cells& cells);
/// Returns the cells of a line with commas between them.
Cells split_cells(std::string_view line);
/// Returns the separator of a header: a comma, a semicolon or a tab.
char separator_of(std::string_view header);
/// Returns the text without the characters of `blanks` at its ends.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n");
/// Returns the text with lower-case ASCII letters.
std::string lower(std::string_view text);
/// Returns the first characters of a text from a file in quotes, with "?" for each one that cannot be
/// printed.
std::string quoted_begin(std::string_view text);
/// Returns whether the cell states that there was no reading: an empty cell, "[N/A]", "nan",
/// "[Not Supported]" and similar.
bool is_missing_reading(std::string_view cell);

/// Returns whether a cell begins like a name, and not like a number or a time.
bool begins_like_name(std::string_view cell);

}  // namespace kjoule
