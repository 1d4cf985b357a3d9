#include "importers/kernel_csv.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "importers/csv_table.hpp"
#include "importers/kernel_rows.hpp"
#include "importers/ncu_csv.hpp"
#include "importers/nsys_stats.hpp"
#include "importers/nvprof_csv.hpp"
#include "importers/rocprof_csv.hpp"
#include "importers/table_rows.hpp"

namespace kjoule {

namespace {

/// Converts a table that no known tool wrote.
void read_other_csv(CsvTable table, const std::string& file, TableRows& rows) {
  table.for_each_row([&](const CsvTable::Row& row) {
    if (row.cells == table.columns)
      throw Error(fmt::format("{}:{}: the header occurs again: the file has several tables", file, row.line),
                  "write each table to a file of its own");
  });
  take_units_of_cells(table);
  std::vector<ForeignColumn> columns = foreign_columns(table.columns);
  const DigitStyle style = digit_style_of(table, columns, file);
  if (const std::string ambiguity = style.ambiguity(); !ambiguity.empty())
    throw Error(fmt::format("{}: {}", file, ambiguity), kDigitsRemedy);
  complete_units(table, style, file);
  columns = foreign_columns(table.columns);
  rows.format = "kernel CSV";
  rows.add(table, columns, style);
}

void read_tables(CsvTables csv, const std::string& file, TableRows& rows) {
  switch (csv.origin) {
    case TableOrigin::ncu:
      return read_ncu_csv(std::move(csv), file, rows);
    case TableOrigin::nsys:
      return read_nsys_stats(std::move(csv), file, rows);
    case TableOrigin::nvprof:
      return read_nvprof_csv(std::move(csv), file, rows);
    case TableOrigin::rocprof:
      return read_rocprof_csv(std::move(csv), file, rows);
    case TableOrigin::other:
      break;
  }
  return read_other_csv(std::move(csv.tables.front()), file, rows);
}

}  // namespace

ImportedTable read_kernel_csv(const PaddedText& text, const ImportChoice& choice, const std::string& file) {
  CsvTables csv = read_csv_tables(text.view(), file);
  const bool has_last_line_end = csv.has_last_line_end;
  TableRows rows(choice, file);
  read_tables(std::move(csv), file, rows);
  ImportedTable table = rows.finish();
  if (!has_last_line_end)
    table.warnings.emplace_back(
        "the last line has no line end: the end of its last cell, or further lines, may be missing");
  return table;
}

}  // namespace kjoule
