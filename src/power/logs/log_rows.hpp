#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "power/logs/cells.hpp"
#include "power/logs/log_columns.hpp"
#include "power/logs/power_column.hpp"

namespace kjoule {

/// The content of one line of a power log. Texts are parts of the line.
struct LogRow {
  enum class State {
    complete,    ///< every meter has a reading
    partial,     ///< a meter states that it has no reading
    zero,        ///< a meter states 0 W, which is not a reading
    unreadable,  ///< a cell contains neither a power nor a mark for a missing reading
    too_short,   ///< the line has too few cells; time, device and powers are not set
  };
  State state = State::complete;
  std::string_view time{}, device{};
  std::vector<std::optional<double>> watts{};  ///< in the order of LogColumns::values; absent: no reading
  std::optional<double> sum{};                 ///< the sum of the powers as stated in the line, W
};

/// Reads the lines of a power log one after another. The log may be complete or still growing. Throws Error
/// with the log's name and the number of the line if a power is ambiguous (PowerColumn), if a second header
/// differs from the first, or if a line has surplus cells.
class LogRowReader {
 public:
  /// `name` is the log's name in messages.
  LogRowReader(std::string name, ColumnNames columns);

  /// Returns the content of the next line, or null for a header, an empty line or a line before the header.
  /// The content is valid as long as `line` is, and until the next call.
  const LogRow* read(std::string_view line);
  /// Counts a line without reading it.
  void skip() { ++line_; }
  /// Returns the number of the latest line, from 1; 0 before the first.
  size_t line() const { return line_; }
  /// Returns the columns, or no value before the header was read.
  const std::optional<LogColumns>& columns() const { return columns_; }
  /// Throws Error if no header was read.
  void check_header() const;
  /// Throws Error if the powers of a column, taken together, show that their unit is not W.
  void check_units() const;

 private:
  std::string_view without_mark(std::string_view line) const;
  /// Reads the header. Returns whether the line is a row of readings instead, which is possible if columns
  /// were named by number.
  bool take_header(std::string_view line);
  void read_row(std::string_view line);
  void read_powers();
  void check_surplus() const;
  /// Returns whether an unreadable line repeats the header. Throws Error if it is a different header.
  bool repeats_header(std::string_view line) const;
  [[noreturn]] void refuse(const std::string& cause, const std::string& remedy) const;

  std::string name_;
  ColumnNames names_;
  std::optional<LogColumns> columns_;
  std::vector<PowerColumn> powers_;
  std::string header_, first_line_;
  Cells cells_;
  LogRow row_;  ///< of the latest line
  size_t line_ = 0, preamble_ = 0;
};

}  // namespace kjoule
