#include "importers/profiler_averages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/json/dump_json.hpp"
#include "base/text/counted.hpp"
#include "base/text/parse_number.hpp"
#include "importers/host_call.hpp"
#include "importers/kernel_rows.hpp"
#include "importers/time_unit.hpp"

namespace kjoule {

namespace {

constexpr const char* kProfileGpu = "profile with ProfilerActivity.CUDA, and print all lines (row_limit=-1)";
constexpr const char* kPrintAll =
    "print all lines: key_averages().table(row_limit=-1, max_name_column_width=1000)";
constexpr size_t kMostLinesBeforeTable = 1000;

/// Begin and length of a column, in bytes.
struct TextColumn {
  size_t begin = 0, length = 0;
  size_t end() const { return begin + length; }
};

std::string_view trimmed_text(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// Returns the length of the date and time at the beginning of a line, with the blanks after them: the words
/// of at least six digits.
size_t length_of_time(std::string_view line) {
  size_t length = 0;
  for (size_t end = line.find(' '); end != std::string_view::npos; end = line.find(' ', length)) {
    const std::string_view word = line.substr(length, end - length);
    const auto digits = std::ranges::count_if(word, [](char c) { return c >= '0' && c <= '9'; });
    if (digits < 6 || word.find_first_not_of("0123456789-/:.,TZ+[]") != std::string_view::npos) break;
    length = end + 1;
  }
  return length;
}

/// Returns a line without the mark of the table's first line. The times in the marks may differ.
std::string_view without_mark(std::string_view line, std::string_view mark) {
  if (line.starts_with(mark)) return line.substr(mark.size());
  const size_t time = length_of_time(line), first_time = length_of_time(mark);
  const std::string_view after_time = mark.substr(first_time);
  if (time == 0 || first_time == 0 || !line.substr(time).starts_with(after_time)) return line;
  return line.substr(time + after_time.size());
}

/// Returns the columns under a line of dashes, "------  ----"; no columns if the line is another one.
std::vector<TextColumn> columns_of(std::string_view ruler) {
  std::vector<TextColumn> columns;
  if (!trimmed_text(ruler).starts_with("---") || ruler.find_first_not_of("- \t\r") != std::string_view::npos)
    return columns;
  for (size_t at = ruler.find('-'); at != std::string_view::npos;) {
    const size_t end = std::min(ruler.find_first_not_of('-', at), ruler.size());
    columns.push_back({at, end - at});
    at = ruler.find('-', end);
  }
  return columns;
}

/// Returns what stands before a line of dashes: "# " of a comment, "[rank0]: " of torchrun, or the time that
/// a logger writes. Returns nothing if the line is another one.
std::optional<std::string_view> mark_before_ruler(std::string_view line) {
  const size_t last = line.find_last_not_of("- \t\r");
  const size_t ruler = line.find("---", last == std::string_view::npos ? 0 : last);
  if (ruler == std::string_view::npos) return {};
  return line.substr(0, ruler);
}

/// Returns the texts that two or more spaces separate.
std::vector<std::string_view> split_at_gaps(std::string_view line) {
  std::vector<std::string_view> texts;
  for (line = trimmed_text(line); !line.empty();) {
    const size_t gap = std::min(line.find("  "), line.size());
    texts.push_back(line.substr(0, gap));
    line = trimmed_text(line.substr(gap));
  }
  return texts;
}

/// Returns the cells of a line. Cells that are wider than their column shift those that follow; such a line
/// is divided at its gaps. Returns no cells if this gives fewer cells than columns.
std::vector<std::string_view> cells_of(std::string_view line, const std::vector<TextColumn>& columns) {
  std::vector<std::string_view> cells;
  bool has_gaps = true;
  for (size_t c = 0; c < columns.size(); ++c) {
    const size_t begin = std::min(columns[c].begin, line.size()),
                 end = std::min(columns[c].end(), line.size());
    const size_t next = c + 1 < columns.size() ? std::min(columns[c + 1].begin, line.size()) : line.size();
    has_gaps = has_gaps && trimmed_text(line.substr(end, next - end)).empty();
    cells.push_back(trimmed_text(line.substr(begin, end - begin)));
  }
  if (has_gaps) return cells;
  std::vector<std::string_view> texts = split_at_gaps(line);
  if (texts.size() < columns.size()) return {};
  const size_t in_name = texts.size() - columns.size();  // gaps within the name
  texts[in_name] = line.substr(static_cast<size_t>(texts.front().data() - line.data()),
                               static_cast<size_t>(texts[in_name].end() - texts.front().begin()));
  texts.erase(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(in_name));
  return texts;
}

/// A time as the profiler prints it, and its largest rounding error, in us.
struct PrintedTime {
  double us = 0, off_us = 0;
};

/// Reads "12.345us" or "1.2ms"; nothing for other texts.
std::optional<PrintedTime> time_in(std::string_view cell) {
  const size_t unit = cell.find_first_not_of("0123456789.");
  if (unit == std::string_view::npos) return {};
  const auto number = parse_number(cell.substr(0, unit));
  const auto power = power_of_unit(cell.substr(unit));
  if (!number || !power) return {};
  const size_t point = cell.find('.');
  const double decimals = point < unit ? static_cast<double>(unit - point - 1) : 0;
  return PrintedTime{*number * std::pow(10., *power), 0.5 * std::pow(10., *power - decimals)};
}

/// A row of a table: an operator, a call of the host, a range, or work of the device.
struct AverageRow {
  size_t line = 0;
  std::string_view name, calls;
  PrintedTime host, device;

  /// Returns whether the device, but not the host, spent time on it.
  bool is_of_device() const { return host.us <= 0 && device.us > 0; }
};

/// A table of key_averages().
struct AverageTable {
  std::string device;  ///< name of the device's columns, such as CUDA
  std::vector<AverageRow> rows;
  std::optional<PrintedTime> total;  ///< the time of the device below the table
};

/// The indices of the columns that are read.
struct AverageColumns {
  size_t name, host, device, calls;
};

/// Returns whether a heading is that of the times of a device, such as "Self CUDA".
bool is_device_heading(std::string_view heading) {
  return heading.starts_with("Self ") && !heading.starts_with("Self CPU") && !heading.ends_with('%') &&
         !heading.ends_with("Mem");
}

/// Returns whether the lines after a line of dashes are the header of a table of key_averages().
bool is_average_header(std::string_view line) {
  const std::vector<std::string_view> texts = split_at_gaps(line);
  return !texts.empty() && texts.front() == "Name" && std::ranges::find(texts, "# of Calls") != texts.end();
}

class AveragesReader {
 public:
  AveragesReader(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  AverageTable read() {
    if (!find_table())
      throw Error(file_ + ": this file is neither a trace nor a kernel table", kFormatsRemedy);
    const AverageColumns columns = find_columns();
    read_rows(columns);
    read_total();
    if (find_table())
      throw Error(fmt::format("{}:{}: a second table of key_averages() begins here", file_, line_number_),
                  "keep only one of the tables in the file");
    return std::move(table_);
  }

 private:
  std::string_view next_line() {
    ++line_number_;
    return without_mark(take_line(rest_), mark_);
  }

  /// Moves behind the header of the next table. Returns false at the end of the text.
  bool find_table() {
    std::vector<TextColumn> above;  // the columns under the line before
    while (!rest_.empty()) {
      ++line_number_;
      const std::string_view line = take_line(rest_);
      header_ = without_mark(line, mark_);
      columns_ = std::move(above);
      if (!columns_.empty() && is_average_header(header_)) return true;
      const auto mark = mark_before_ruler(line);
      mark_ = mark.value_or("");
      if (mark) above = columns_of(line.substr(mark->size()));
    }
    return false;
  }

  AverageColumns find_columns() {
    const std::vector<std::string_view> headings = cells_of(header_, columns_);
    const auto find = [&](std::string_view name) {
      return static_cast<size_t>(std::ranges::find(headings, name) - headings.begin());
    };
    const size_t device =
        static_cast<size_t>(std::ranges::find_if(headings, is_device_heading) - headings.begin());
    const AverageColumns found{find("Name"), find("CPU total"), device, find("# of Calls")};
    const size_t none = headings.size();
    if (found.name == none || found.host == none || found.calls == none)
      throw Error(file_ + ": this table of key_averages() has no column \"CPU total\" or \"# of Calls\"",
                  kPrintAll);
    if (found.device == none)
      throw Error(file_ + ": this table contains no times of a GPU (no column \"Self CUDA\")", kProfileGpu);
    table_.device = headings[device].substr(std::string_view("Self ").size());
    return found;
  }

  void read_rows(const AverageColumns& columns) {
    bool has_ended = false;
    bool is_first = true;
    while (!rest_.empty() && !has_ended) {
      const std::string_view before = rest_;
      const std::string_view line = next_line();
      const bool is_ruler = !columns_of(line).empty();
      if (trimmed_text(line).empty() || (is_ruler && std::exchange(is_first, false))) continue;
      has_ended = is_ruler || trimmed_text(line).starts_with("Self CPU time total");
      if (has_ended && !is_ruler) {
        rest_ = before;  // read_total() reads this line
        --line_number_;
      }
      if (has_ended) break;
      is_first = false;
      add_row(line, columns);
    }
    if (!has_ended)
      throw Error(file_ + ": the file ends within the profiler's table",
                  "check that the table was copied completely");
  }

  void add_row(std::string_view line, const AverageColumns& columns) {
    const std::vector<std::string_view> cells = cells_of(line, columns_);
    if (!cells.empty() && cells[columns.name].empty()) return;  // a further line of a row's stack
    const auto host = cells.empty() ? std::nullopt : time_in(cells[columns.host]),
               device = cells.empty() ? std::nullopt : time_in(cells[columns.device]);
    if (!host || !device)
      throw Error(fmt::format("{}:{}: the line has no times in the columns of the table's header", file_,
                              line_number_),
                  kPrintAll);
    table_.rows.push_back({line_number_, cells[columns.name], cells[columns.calls], *host, *device});
  }

  /// Reads the lines below the table: "Self CUDA time total: 1.870s".
  void read_total() {
    constexpr int kMostLines = 3;
    const std::string begin = fmt::format("Self {} time total:", table_.device);
    for (int i = 0; i < kMostLines; ++i) {
      const std::string_view line = trimmed_text(without_mark(rest_.substr(0, rest_.find('\n')), mark_));
      if (!line.empty() && !line.starts_with("Self ")) return;
      next_line();
      if (line.starts_with(begin)) table_.total = time_in(trimmed_text(line.substr(begin.size())));
    }
  }

  std::string_view rest_;
  const std::string& file_;
  size_t line_number_ = 0;
  std::string_view mark_;  ///< the beginning of the table's first line, such as "# ", or of all of them
  std::string_view header_;
  std::vector<TextColumn> columns_;
  AverageTable table_;
};

/// Returns whether a row of the device is a range and not work. The profiler prints ranges of the program
/// also as rows of the host.
bool is_range(std::string_view name, const std::set<std::string_view>& host_names) {
  return host_names.contains(name) || is_profiler_range(name);
}

/// The rows of the device, divided into work and ranges.
struct DeviceRows {
  std::vector<AverageRow> work, ranges;
};

DeviceRows device_rows_of(const AverageTable& table) {
  std::set<std::string_view> host_names;
  for (const AverageRow& row : table.rows)
    if (!row.is_of_device()) host_names.insert(row.name);
  DeviceRows rows;
  for (const AverageRow& row : table.rows)
    if (row.is_of_device()) (is_range(row.name, host_names) ? rows.ranges : rows.work).push_back(row);
  return rows;
}

PrintedTime sum_of(const std::vector<AverageRow>& rows) {
  PrintedTime sum;
  for (const AverageRow& row : rows) {
    sum.us += row.device.us;
    sum.off_us += row.device.off_us;
  }
  return sum;
}

/// Throws Error if the work differs from the total below the table. Versions of the profiler that count
/// ranges as work have a total with ranges.
void check_total(const DeviceRows& rows, const PrintedTime& total, const std::string& file) {
  const PrintedTime work = sum_of(rows.work), ranges = sum_of(rows.ranges);
  const auto is_total = [&](double us) {
    constexpr double kRoundingOfDoubles = 1e-9;
    return std::abs(us - total.us) <=
           work.off_us + ranges.off_us + total.off_us + kRoundingOfDoubles * total.us;
  };
  if (is_total(work.us) || is_total(work.us + ranges.us)) return;
  const std::string times = fmt::format(
      "the kernels of this table of key_averages() take {:.3f} us, but the line below it states "
      "{:.3f} us",
      work.us, total.us);
  if (work.us < total.us) throw Error(fmt::format("{}: {}: lines are missing", file, times), kPrintAll);
  throw Error(fmt::format("{}: {}: some of the rows are ranges, not kernels", file, times),
              "import the trace that export_chrome_trace() writes");
}

std::string jsonl_of(const std::vector<AverageRow>& rows) {
  std::string jsonl;
  size_t line = 1;
  for (const AverageRow& row : rows) {
    for (; line < row.line; ++line) jsonl += '\n';
    jsonl += fmt::format("{{\"name\":{},\"count\":{},\"total_us\":\"{:.6f}\"}}", quote_json(row.name),
                         quote_json(row.calls), row.device.us);
  }
  return jsonl;
}

}  // namespace

bool is_profiler_averages(std::string_view text) {
  std::optional<std::string_view> mark;  // of the line before, if it is a line of dashes
  for (size_t line = 0; line < kMostLinesBeforeTable && !text.empty(); ++line) {
    const std::string_view content = take_line(text);
    if (mark && is_average_header(without_mark(content, *mark))) return true;
    mark = mark_before_ruler(content);
  }
  return false;
}

ImportedTable read_profiler_averages(const PaddedText& text, const ImportChoice& choice,
                                     const std::string& file) {
  const AverageTable averages = AveragesReader(text.view(), file).read();
  const DeviceRows rows = device_rows_of(averages);
  if (rows.work.empty()) throw Error(file + ": this table contains no kernels", kProfileGpu);
  if (averages.total) check_total(rows, *averages.total, file);
  ImportedTable table =
      read_kernel_rows(PaddedText::copy_of(jsonl_of(rows.work)), choice, file, "PyTorch profiler averages");
  if (!averages.total)
    table.warnings.push_back(fmt::format(
        "the line \"Self {} time total\" is missing, so rows may be missing, too", averages.device));
  if (!rows.ranges.empty())
    table.warnings.push_back(
        fmt::format("{} of ranges, such as \"{}\", {} not read, because ranges are not kernels",
                    counted(rows.ranges.size(), "row"), rows.ranges.front().name,
                    agreeing(rows.ranges.size(), "is", "are")));
  const auto cut_names =
      std::ranges::count_if(rows.work, [](const auto& row) { return row.name.ends_with("..."); });
  if (cut_names > 0)
    table.warnings.push_back(
        fmt::format("the profiler shortened {} (\"...\"): print the table with max_name_column_width=1000",
                    counted(static_cast<size_t>(cut_names), "name")));
  return table;
}

}  // namespace kjoule
