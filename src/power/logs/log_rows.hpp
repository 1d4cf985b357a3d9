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
    zero,        ///< a meter states 0 W, which is no reading
    unreadable,  ///< a cell is neither a power nor states that there is none
    too_short,   ///< the line lacks cells; it has no time, no device and no powers
  };
  State state = State::complete;
  std::string_view time{}, device{};
  std::vector<std::optional<double>> watts{};  ///< of LogColumns::values; absent where nothing was read
  std::optional<double> sum{};                 ///< the sum of the values that the line states
};

/// Reads the lines of a power log one after another, of a complete log or of one that grows. It throws Error
/// with the log's name and the number of the line where a reading may be another one than it seems to be:
/// see PowerColumn; also for a second header that differs from the first, and for surplus cells.
class LogRowReader {
 public:
  /// `name` is the log's name in messages.
  LogRowReader(std::string name, ColumnNames columns);

  /// Returns the content of the next line, or null for headers, empty lines and what precedes the header. It
  /// is valid as long as `line`, and until the next call.
  const LogRow* read(std::string_view line);
  /// Counts a line that is not read.
  void skip() { ++line_; }
  /// Returns the number of the latest line, from 1; 0 before the first.
  size_t line() const { return line_; }
  /// Returns the columns, or no value until the header was read.
  const std::optional<LogColumns>& columns() const { return columns_; }
  /// Throws Error if there was no header.
  void check_header() const;
  /// Throws Error if all powers of a column together show that they are in another unit.
  void check_units() const;

 private:
  std::string_view without_mark(std::string_view line) const;
  /// Reads the header. Returns whether the line is already a reading, which is possible if columns were named
  /// by number and the log has no header.
  bool take_header(std::string_view line);
  void read_row(std::string_view line);
  void read_powers();
  void check_surplus() const;
  /// Returns whether a line that cannot be read is the header once more. Throws Error if it is another
  /// header.
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
