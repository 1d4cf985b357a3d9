#pragma once
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "power/logs/cells.hpp"
#include "power/logs/formats/text_format.hpp"
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
    damaged,     ///< the line of a TextFormat is not readable; time, device and powers are not set
  };
  State state = State::complete;
  std::string_view time{}, device{};
  std::vector<std::string_view> keys{};        ///< in the order of LogColumns::keys
  std::vector<std::optional<double>> watts{};  ///< in the order of LogColumns::values; absent: no reading
  std::optional<double> sum{};                 ///< the sum of the powers as stated in the line, W
};

/// Reads the lines of a power log one after another. The log may be complete or still growing. Throws Error
/// with the log's name and the number of the line if a power is ambiguous (PowerColumn), if a second header
/// differs from the first, or if a line has surplus cells. Lines of tools that write no CSV are presented as
/// rows by a TextFormat.
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
  /// Returns the cells of the latest line.
  const Cells& cells() const { return cells_; }
  /// Throws Error if no header was read.
  void check_header() const;
  /// Throws Error if the powers of a column, taken together, show that their unit is not W.
  void check_units() const;
  /// Throws Error if points in the powers so far may separate thousands.
  void check_points() const;
  /// Returns the titles of the header, or of the line that is most like one if no header was read.
  const std::vector<std::string>& titles() const { return titles_; }
  /// Returns warnings about the lines before the header, and about implausible powers.
  std::vector<std::string> warnings() const;

 private:
  std::string_view without_mark(std::string_view line) const;
  /// Reads the header. Returns whether the line is a row of readings instead, which is possible if columns
  /// were named by number, and in logs of a TextFormat.
  bool take_header(std::string_view line);
  /// Sets the TextFormat of which the line is, if any.
  void find_text_format(std::string_view line);
  /// Sets the columns that the line states, if it is a header. Returns whether it is.
  bool find_header(std::string_view line);
  void set_text_columns();
  void open_powers();
  void skip_before_header(std::string_view line, std::exception_ptr error);
  /// Notes the unit that a comment mentions.
  void note_comment(std::string_view line);
  /// Returns the content of a line of a TextFormat, or null if it has none.
  const LogRow* read_text_row(std::string_view line);
  void read_row(std::string_view line);
  void fill_row();
  void read_powers();
  std::optional<double> read_value(size_t v);
  /// Returns whether the line has the units of the columns, and sets them.
  bool takes_units();
  void check_surplus() const;
  /// Returns whether an unreadable line repeats the header. Throws Error if it is a different header.
  bool repeats_header(std::string_view line) const;
  [[noreturn]] void refuse(const std::string& cause, const std::string& remedy) const;

  std::string name_;
  ColumnNames names_;
  std::optional<LogColumns> columns_;
  /// For each value, the column of its powers, and the columns whose powers are added to it.
  std::vector<std::vector<PowerColumn>> powers_;
  std::unique_ptr<TextFormat> text_;  ///< null for CSV
  std::vector<std::string> titles_;
  std::string header_, first_line_, comment_unit_, time_;
  std::exception_ptr header_error_;  ///< why the line that is most like a header is none
  Cells cells_;
  LogRow row_;  ///< of the latest line
  size_t line_ = 0, preamble_ = 0;
  bool has_readings_ = false;
};

}  // namespace kjoule
