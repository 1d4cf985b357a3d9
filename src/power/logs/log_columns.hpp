#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// Names of columns that the caller knows; a number, from 1, names a column of a log without a header.
struct ColumnNames {
  std::string time, power;
  bool any() const { return !time.empty() || !power.empty(); }
};

/// Which columns of a log hold what.
struct LogColumns {
  struct Value {
    size_t column = 0;
    std::string name;  ///< of its series; behind the device's where there are devices
    double scale = 1;  ///< watts of one unit
  };
  std::string format;  ///< as PowerLog names it
  char separator = ',';
  bool has_header = true;
  size_t time = 0;
  std::optional<size_t> device;
  std::vector<Value> values;
  std::optional<size_t> sum;  ///< of all values, to check them

  /// Cells that a line needs at least.
  size_t needed() const;
};

/// Cuts a line into cells, without blanks and quotes around them, into `cells` (which keeps its memory). A
/// quote within a quoted cell is left as it is: neither times nor powers hold one.
void split_cells(std::string_view line, char separator, std::vector<std::string_view>& cells);

/// What the columns of this first line are; nothing when it is no header of a power log. With names given,
/// throws Error when the line lacks one.
std::optional<LogColumns> find_columns(std::string_view header, const ColumnNames& names);

/// Watts of a cell such as "125.3", "125.3 W" or "300 mW", not below 0; nothing when it is something else.
std::optional<double> read_watts(std::string_view cell);
/// Whether the cell says that there was no reading: empty, "[N/A]", "nan", "[Not Supported]" and the like.
bool says_no_reading(std::string_view cell);

}  // namespace kjoule
