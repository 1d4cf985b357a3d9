#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// The form in which a quote is written within a quoted cell.
enum class CsvQuotes {
  doubled,         ///< "say ""yes""" (RFC 4180)
  after_backslash  ///< "say \"yes\""; a backslash is written as two backslashes
};

/// A reader that splits RFC 4180 text into rows. Quoted cells may contain commas, doubled quotes and line
/// ends. A byte-order mark at the beginning of the text and the apostrophe that csv_line() writes before
/// formulas are removed.
class CsvRows {
 public:
  /// Column limit: the most cells of a row.
  static constexpr size_t kColumnLimit = 4096;

  /// `name` is the name of the text in error messages. `first_line` is the number of the text's first line,
  /// which is not 1 if the text is a part of a file.
  CsvRows(std::string_view text, std::string name, CsvQuotes quotes = CsvQuotes::doubled,
          size_t first_line = 1)
      : rest_(text), name_(std::move(name)), quotes_(quotes), next_line_(first_line) {
    if (first_line == 1 && rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
  }

  /// Reads the next row that is not blank into `cells`; returns false at the end of the text. Throws Error
  /// "NAME:LINE: cause" if the row has more than kColumnLimit cells or kLineLimit bytes.
  bool next(std::vector<std::string>& cells);
  /// Returns the line number, from 1, in which the last returned row begins.
  size_t line() const { return line_; }
  /// Returns the text after the last returned row, and the number of its first line.
  std::string_view rest() const { return rest_; }
  size_t next_line() const { return next_line_; }
  /// Returns whether the text ended within quotes.
  bool cut_off() const { return cut_off_; }

 private:
  /// Moves the next cell from the remaining text to `cell`.
  void take_cell(std::string& cell);
  void take_quoted(std::string& cell);
  /// Removes `bytes` bytes from the rest, and counts them.
  void skip(size_t bytes);
  [[noreturn]] void refuse(const std::string& cause) const;

  std::string_view rest_;
  std::string name_;
  size_t row_bytes_ = 0;  ///< bytes of the row so far
  CsvQuotes quotes_;
  size_t line_ = 0, next_line_;
  bool cut_off_ = false;
};

}  // namespace kjoule
