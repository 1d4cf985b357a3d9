#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/csv_rows.hpp"
#include "importers/table_origin.hpp"

namespace kjoule {

/// A part of a CSV file.
struct CsvPart {
  std::string_view text;
  std::string file;       ///< name of the file in error messages
  size_t first_line = 1;  ///< line number of the part's begin
  CsvQuotes quotes = CsvQuotes::doubled;
};

/// A table of texts with one header line. Its rows are not kept in memory: each pass over them reads the text
/// again, so that a table of short rows takes no more memory than its file.
class CsvTable {
 public:
  struct Row {
    std::vector<std::string> cells;  ///< as many as columns
    size_t line = 0;                 ///< line number in the file, from 1
  };
  /// A change of a row. Returns false for a row that is left out.
  using Change = std::function<bool(Row&)>;

  /// `header` contains the headings, which are on the line with this number; `body` the text below them,
  /// which must outlive the table.
  CsvTable(std::string caption, size_t line, std::vector<std::string> header, CsvPart body)
      : caption(std::move(caption)),
        line(line),
        columns(std::move(header)),
        header_(columns),
        body_(std::move(body)) {}

  /// Calls use(row) for each row, in the order of the file; `use` may change the row.
  void for_each_row(const std::function<void(Row&)>& use) const;
  /// Returns whether is(row) is true for a row. Rows after the first such row are not read.
  bool any_row(const std::function<bool(Row&)>& is) const;
  /// Returns the first row; no value if there is none.
  std::optional<Row> first_row() const;
  /// Applies a change to each row, after those of earlier calls, in all passes from now on.
  void change_rows(Change change) { changes_.push_back(std::move(change)); }
  /// Ends the table at the begin of `rest`, a part of its text.
  void end_before(std::string_view rest) {
    body_.text = body_.text.substr(0, static_cast<size_t>(rest.data() - body_.text.data()));
  }

  std::string caption;  ///< the last line of the profiler before the header; empty if there is none
  size_t line = 0;      ///< line number of the header
  std::vector<std::string> columns;

 private:
  std::vector<std::string> header_;  ///< the columns as they are in the file
  CsvPart body_;
  std::vector<Change> changes_;
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
/// Quotes within cells may be doubled or follow a backslash. `text` must outlive the tables. Throws Error
/// with file and line if there is no header, the file ends within quotes, a row has another number of cells
/// than its header, tables of different tools follow one another, or there are more than 10000 tables.
CsvTables read_csv_tables(std::string_view text, const std::string& file);

}  // namespace kjoule
