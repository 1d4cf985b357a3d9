#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "importers/table_origin.hpp"

namespace kjoule {

/// A table of texts with one header line.
struct CsvTable {
  struct Row {
    std::vector<std::string> cells;  ///< as many as columns
    size_t line = 0;                 ///< line number in the file, from 1
  };
  std::string caption;  ///< the last line of the profiler before the header; empty if there is none
  size_t line = 0;      ///< line number of the header
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

/// The tables of a file. Profilers write one for each report.
struct CsvTables {
  std::vector<CsvTable> tables;  ///< at least one
  TableOrigin origin = TableOrigin::other;
  bool has_last_line_end = true;  ///< whether the last line ends with a line end
};

/// Reads the tables of a file. The first header is the first line with a column for names or the headings of
/// a profiler (origin_of()); further tables begin at lines with a profiler's headings. Skips the lines before
/// the first header, and the lines of profilers between tables, such as "==PROF== ..". Rows of ncu may end
/// after their metric, and names in the last column of a profiler's report may contain commas without quotes.
/// Quotes within cells may be doubled or follow a backslash. Throws Error with file and line if there is no
/// header, the file ends within quotes, a row has another number of cells than its header, or tables of
/// different tools follow one another.
CsvTables read_csv_tables(std::string_view text, const std::string& file);

}  // namespace kjoule
