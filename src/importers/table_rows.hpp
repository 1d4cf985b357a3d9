#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "importers/csv_table.hpp"
#include "importers/digit_style.hpp"
#include "importers/foreign_columns.hpp"
#include "importers/kernel_rows.hpp"

namespace kjoule {

/// Adds the rows of foreign tables to KernelRows. Rows are converted to JSON for read_kernel_row(), a block
/// of them at a time, so that a large table is not in memory twice.
class TableRows {
 public:
  /// `file` is the name of the table in error messages.
  TableRows(const ImportChoice& choice, const std::string& file) : file_(file), kernels_(choice, file) {}

  /// Adds the rows of a table, whose columns have the given contents. Numbers are converted from the table's
  /// style, in which a number such as "1,234" has a fraction only if other numbers show it. Throws the errors
  /// of read_kernel_row(), with the line of the row in its file.
  void add(const CsvTable& table, const std::vector<ForeignColumn>& columns, const DigitStyle& style);
  /// Adds one row. Rows must be added in the order of their lines.
  void add(const CsvTable::Row& row, const std::vector<ForeignColumn>& columns, const DigitStyle& style);
  bool empty() const { return line_ == 0; }
  /// Returns the table. Throws the errors of KernelRows::finish().
  ImportedTable finish();

  std::string format;                 ///< format of the table, such as "ncu CSV"
  std::vector<std::string> warnings;  ///< what was not read, one line each

 private:
  /// Adds the rows of the block to kernels_.
  void take_block();

  std::string file_;
  KernelRows kernels_;
  std::string block_;      ///< rows as JSON, each on the line that it has in its file
  size_t block_line_ = 0;  ///< number of the first line of block_
  size_t line_ = 0;        ///< number of the last line of block_; 0 before the first row
};

/// Remedy for numbers that are written in an unclear way.
inline constexpr const char* kDigitsRemedy =
    "write all numbers without grouped digits, and with a point before the fraction";

/// Returns the style of the numbers in a table. Throws Error "FILE: .." if it contains two styles.
DigitStyle digit_style_of(const CsvTable& table, const std::vector<ForeignColumn>& columns,
                          const std::string& file);

/// Returns the time as text in us: "12.5e3" for 12.5 ms, whose unit has the power 3. Returns no value if the
/// number has an invalid exponent.
std::optional<std::string> time_in_us(std::string_view number, int unit_power);

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
