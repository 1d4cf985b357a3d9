#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "importers/csv_table.hpp"
#include "importers/digit_style.hpp"
#include "importers/foreign_columns.hpp"

namespace kjoule {

/// The rows of a foreign table, converted to JSON lines for read_kernel_rows(). Each row is on the line that
/// it has in its file, so that errors name this line.
class TableRows {
 public:
  /// Adds the rows of a table, whose columns have the given contents, and removes them from the table, so
  /// that a large table is not in memory twice. Numbers are converted from the table's style, in which a
  /// number such as "1,234" has a fraction only if other numbers show it.
  void add(CsvTable& table, const std::vector<ForeignColumn>& columns, const DigitStyle& style);
  bool empty() const { return jsonl_.empty(); }

  std::string format;                 ///< format of the table, such as "ncu CSV"
  std::vector<std::string> warnings;  ///< what was not read, one line each
  /// Returns the JSON lines.
  std::string_view jsonl() const { return jsonl_; }

 private:
  std::string jsonl_;
  size_t line_ = 1;  ///< number of the line at the end of jsonl_
};

/// Remedy for numbers that are written in an unclear way.
inline constexpr const char* kDigitsRemedy =
    "write all numbers without grouped digits, and with a point before the fraction";

/// Returns the style of the numbers in a table. Throws Error "FILE: .." if it contains two styles.
DigitStyle digit_style_of(const CsvTable& table, const std::vector<ForeignColumn>& columns,
                          const std::string& file);

/// Returns the time as text in us: "12.5e3" for 12.5 ms, whose unit has the power 3.
std::string time_in_us(std::string_view number, int unit_power);

/// Writes the unit into each heading of times that states none, if the other columns show it: means whose
/// product with the number of launches is the total have the total's unit. Throws Error for a heading such
/// as "Duration" whose unit is not known.
void complete_units(CsvTable& table, const DigitStyle& style, const std::string& file);

/// Converts times whose cells state their units, such as "12.5ms" and "310us", to us, if the heading states
/// no unit and all cells of the column do.
void take_units_of_cells(CsvTable& table);

/// Writes the unit into each heading of a time that states none: "Total Time" becomes "Total Time (ns)".
void set_units(CsvTable& table, std::string_view unit);

}  // namespace kjoule
