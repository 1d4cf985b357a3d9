#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// A table of texts with one header line.
struct CsvTable {
  struct Row {
    std::vector<std::string> cells;  ///< as many as columns
    size_t line = 0;                 ///< line number in the file, from 1
  };
  std::vector<std::string> columns;
  std::vector<Row> rows;
  bool has_last_line_end = true;
};

/// Reads a table of kernels. What a profiler prints before and after its table is skipped: lines before the
/// first one that has a column for names, and lines that begin with "==". Quotes within cells are doubled or,
/// in tables of some programs, follow a backslash. Throws Error with the line for a table without a column of
/// names, that ends within quotes, or that has a line with other than the header's number of cells.
CsvTable read_csv_table(std::string_view text, const std::string& file);

}  // namespace kjoule
