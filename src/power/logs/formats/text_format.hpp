#pragma once
// Logs of tools that do not write CSV. A TextFormat presents each line as the row of a table, so that all
// else (named columns, units, devices, warnings) is the same for these logs as for CSV. Each format has a
// source file of its own.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "power/logs/cells.hpp"
#include "power/logs/log_columns.hpp"

namespace kjoule {

/// The lines of one tool's log as rows of a table.
class TextFormat {
 public:
  enum class Line {
    row,      ///< the line has readings
    other,    ///< the line has none: a header, a line of units
    damaged,  ///< the line should have readings, but they cannot be read
  };
  virtual ~TextFormat() = default;

  /// Returns the names of the table's columns, without units. The first one is "timestamp".
  const std::vector<std::string>& titles() const { return titles_; }
  /// Returns the columns that are used if the user names none.
  const LogColumns& columns() const { return columns_; }
  /// Returns the unit of the powers: "W" or "mW".
  const std::string& unit() const { return unit_; }
  /// Sets the cells of a line, in the order of titles(). They are valid as long as the line is, and until the
  /// next call.
  virtual Line split(std::string_view line, Cells& cells) = 0;

 protected:
  TextFormat(std::string format, std::string unit) : unit_(std::move(unit)) {
    columns_.format = std::move(format);
    columns_.time_title = "timestamp";
  }
  /// Adds a column. Returns its number.
  size_t add(std::string title) {
    titles_.push_back(std::move(title));
    columns_.count = titles_.size();
    return titles_.size() - 1;
  }
  LogColumns& own_columns() { return columns_; }
  /// Throws Error if the names of a repeated header differ from the titles, of which the first `own` are not
  /// in the header.
  void check_repeated_header(std::string_view line, const Cells& names, size_t own) const;

 private:
  std::vector<std::string> titles_;
  LogColumns columns_;
  std::string unit_;
};

/// Returns the format of a log that begins with this line, or null for CSV and for lines before the log.
/// Throws Error if the log of a known tool lacks times or powers; the remedy says how the tool writes them.
std::unique_ptr<TextFormat> text_format_of(std::string_view line);

// The formats. Each function returns null if the line does not begin a log of its tool.
std::unique_ptr<TextFormat> amd_smi_table(std::string_view line);
std::unique_ptr<TextFormat> dcgmi_dmon(std::string_view line);
std::unique_ptr<TextFormat> nvidia_smi_dmon(std::string_view line);
std::unique_ptr<TextFormat> ptdaemon(std::string_view line);
std::unique_ptr<TextFormat> tegrastats(std::string_view line);
std::unique_ptr<TextFormat> turbostat(std::string_view line);

}  // namespace kjoule
