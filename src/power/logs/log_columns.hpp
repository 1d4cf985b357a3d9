#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// The user's names of columns. A number, counted from 1, names a column of a log without a header.
struct ColumnNames {
  std::string time, power;
  bool any() const { return !time.empty() || !power.empty(); }
};

/// The columns of a log and their contents.
struct LogColumns {
  struct Value {
    size_t column = 0;
    std::string name;  ///< of its series; appended to the device's name if there are devices
    double scale = 1;  ///< W of one unit
  };
  std::string format;  ///< PowerLog::format
  char separator = ',';
  bool has_header = true;
  size_t time = 0;
  std::optional<size_t> device;
  std::vector<Value> values;
  std::optional<size_t> sum;  ///< the column with the sum of all values, used as a check

  /// Returns the least number of cells that a line needs.
  size_t needed() const;
};

/// Splits a line into `cells`, whose memory is reused, without surrounding blanks and quotes. Quotes within a
/// quoted cell are not unescaped, because neither times nor powers contain any.
void split_cells(std::string_view line, char separator, std::vector<std::string_view>& cells);

/// Returns the columns from the first line of a log, or no value if the line is not the header of a power
/// log. Throws Error if the line lacks a column that `names` names.
std::optional<LogColumns> find_columns(std::string_view header, const ColumnNames& names);

/// Returns the power in W, at least 0, of a cell such as "125.3", "125.3 W" or "300 mW", or no value for
/// other cells.
std::optional<double> read_watts(std::string_view cell);
/// Returns whether the cell states that there was no reading: empty, "[N/A]", "nan", "[Not Supported]" and
/// similar.
bool is_missing_reading(std::string_view cell);

}  // namespace kjoule
