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
  bool has_last_line_end = true;  ///< whether the last line ends with a line end
};

/// Reads a table of kernels. Skips the lines before the header, which is the first line with a column for
/// names, and lines that begin with "==" (profilers print both). Quotes within cells may be doubled or follow
/// a backslash. Throws Error with file and line if the table has no column for names, ends within quotes, or
/// has a row whose number of cells differs from the header's.
CsvTable read_csv_table(std::string_view text, const std::string& file);

}  // namespace kjoule
