#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// Cuts RFC 4180 text into rows; quoted cells may hold commas, doubled quotes and line ends. A byte order
/// mark before the first one is skipped.
class CsvRows {
 public:
  explicit CsvRows(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
  }

  /// The next row that is not blank; false at the end.
  bool next(std::vector<std::string>& cells);
  /// Line, from 1, in which the row handed out last begins.
  size_t line() const { return line_; }
  /// The text ended within quotes.
  bool cut_off() const { return cut_off_; }

 private:
  std::string take_cell();

  std::string_view rest_;
  size_t line_ = 0, next_line_ = 1;
  bool cut_off_ = false;
};

}  // namespace kjoule
