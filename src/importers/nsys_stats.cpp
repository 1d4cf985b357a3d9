#include "importers/nsys_stats.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "importers/kernel_heading.hpp"
#include "importers/time_unit.hpp"

namespace kjoule {

namespace {

constexpr const char* kKernelReport =
    "write the report of kernels with nsys stats --report cuda_gpu_kern_sum --format csv";

/// The contents of a report. Those with kernels are in the order in which they are preferred.
enum class NsysReport {
  gpu_trace,       ///< a row for each kernel, copy and memset
  gpu_summary,     ///< kernels, copies and memsets, or also calls of the host, by "Category"
  kernel_trace,    ///< a row for each kernel, with its call
  grid_summary,    ///< kernels by name, grid and block
  kernel_summary,  ///< kernels by name
  call_summary,    ///< kernels by name and the call that launched them
  memory_summary,  ///< times of copies and memsets
  memory_sizes,
  kernels_of_ranges,  ///< kernels by NVTX range, which lists kernels within several ranges several times
  ranges,
  host_calls,
  other
};

NsysReport report_of(const std::vector<std::string>& columns) {
  const auto has = [&](std::string_view name) { return has_column(columns, name); };
  if (has("NVTX Range")) return NsysReport::kernels_of_ranges;
  if (has("Range") || has("RangeId") || has("Projected Start")) return NsysReport::ranges;
  if (has("Kernel Name")) return has("KAvg") ? NsysReport::call_summary : NsysReport::kernel_trace;
  if (has("Operation")) {
    if (has("Category")) return NsysReport::gpu_summary;
    return has("Total Time") ? NsysReport::memory_summary : NsysReport::memory_sizes;
  }
  if (!has("Name")) return NsysReport::other;
  if (has("Start")) return has("GrdX") ? NsysReport::gpu_trace : NsysReport::host_calls;
  if (has("Num Calls")) return NsysReport::host_calls;
  if (!has("Instances")) return NsysReport::other;
  return has("GridXYZ") ? NsysReport::grid_summary : NsysReport::kernel_summary;
}

/// Returns the name of a report for messages: the one in the caption, such as "cuda_api_sum", or its kind.
std::string report_name_of(const CsvTable& table) {
  const std::string& caption = table.caption;
  if (const size_t open = caption.rfind('('); open != std::string::npos)
    if (const size_t close = caption.find(')', open); close != std::string::npos)
      return caption.substr(open + 1, close - open - 1);
  if (const size_t script = caption.rfind(".py"); script != std::string::npos)
    if (const size_t folder = caption.rfind('/', script); folder != std::string::npos)
      return caption.substr(folder + 1, script - folder - 1);
  switch (report_of(table.columns)) {
    case NsysReport::host_calls:
      return "calls of the host";
    case NsysReport::ranges:
      return "NVTX ranges";
    case NsysReport::kernels_of_ranges:
      return "kernels of NVTX ranges, of which nested ones repeat kernels";
    case NsysReport::memory_sizes:
      return "sizes of copies";
    case NsysReport::memory_summary:
      return "times of copies";
    case NsysReport::other:
      return "another report";
    default:
      return "kernels";
  }
}

/// Completes the headings of times without a unit. Versions of 2020 and 2021 write "Time(%)", and state the
/// unit of some or no times, which are all in ns unless a heading states another unit.
void complete_nsys_units(CsvTable& table, const std::string& file) {
  if (std::ranges::find(table.columns, "Time(%)") == table.columns.end())
    return complete_units(table, digit_style_of(table, foreign_columns(table.columns), file), file);
  std::string unit;
  for (const std::string& column : table.columns)
    if (const KernelHeading heading = read_kernel_heading(column);
        heading.is_time() && heading.power && unit.empty())
      unit = split_heading(column).unit;
  const size_t total = position_of(table.columns, "Total Time");
  if (unit.empty())
    table.for_each_row([&](const CsvTable::Row& row) {
      if (total < row.cells.size() && row.cells[total].find('.') != std::string::npos)
        throw Error(fmt::format("{}:{}: \"Total Time\" states no unit, and {} is not a whole number of ns",
                                file, row.line, row.cells[total]),
                    "write the unit into the headings, such as \"Total Time (us)\"");
    });
  set_units(table, unit.empty() ? "ns" : unit);
}

/// Renames a column, if the table has it.
void rename_column(CsvTable& table, std::string_view from, const std::string& to) {
  const size_t column = position_of(table.columns, from);
  if (column == table.columns.size()) return;
  const std::string unit(split_heading(table.columns[column]).unit);
  table.columns[column] = unit.empty() ? to : fmt::format("{} ({})", to, unit);
}

/// Removes the rows whose category is calls of the host.
void remove_host_calls(CsvTable& table) {
  const size_t category = position_of(table.columns, "Category");
  table.change_rows([category](const CsvTable::Row& row) {
    return category >= row.cells.size() || row.cells[category] != "CUDA_API";
  });
}

void add_report(CsvTable table, const std::string& file, TableRows& rows) {
  const NsysReport report = report_of(table.columns);
  std::vector<std::string> passed;
  if (report == NsysReport::gpu_summary) remove_host_calls(table);
  if (report == NsysReport::gpu_summary || report == NsysReport::memory_summary) {
    rename_column(table, "Operation", "Name");
    rename_column(table, "Operations", "Count");
    passed = {"Category"};
  }
  if (report == NsysReport::call_summary) {
    rename_column(table, "KAvg", "Avg");
    rename_column(table, "KMin", "Min");
    rename_column(table, "KMax", "Max");
    passed = {"QCount", "TAvg",    "TMed", "TMin",    "TMax",     "TStdDev",     "AAvg",
              "AMed",   "AMin",    "AMax", "AStdDev", "QAvg",     "QMed",        "QMin",
              "QMax",   "QStdDev", "KMed", "KStdDev", "API Name", "API Function"};
  }
  if (report == NsysReport::kernel_trace) {
    rename_column(table, "Kernel Dur", "Duration");
    passed = {"API Start",    "API Dur",   "Queue Start", "Queue Dur",
              "Kernel Start", "Total Dur", "API Name",    "API Function"};
  }
  complete_nsys_units(table, file);
  std::vector<ForeignColumn> columns = foreign_columns(table.columns);
  for (const std::string& name : passed)
    if (const size_t column = position_of(table.columns, name); column < columns.size())
      columns[column].kind = ColumnKind::passed;
  rows.add(table, columns, digit_style_of(table, columns, file));
}

/// Returns the first report of a kind; nothing if there is none. Throws Error if there are two.
std::optional<size_t> find_report(const std::vector<CsvTable>& tables, NsysReport report,
                                  const std::string& file) {
  std::optional<size_t> found;
  for (size_t t = 0; t < tables.size(); ++t) {
    if (report_of(tables[t].columns) != report) continue;
    if (found)
      throw Error(
          fmt::format("{}:{}: the report {} occurs twice", file, tables[t].line, report_name_of(tables[t])),
          "write the reports of each run to a file of its own");
    found = t;
  }
  return found;
}

}  // namespace

void read_nsys_stats(CsvTables csv, const std::string& file, TableRows& rows) {
  constexpr std::array<NsysReport, 6> kOfKernels = {NsysReport::gpu_trace,      NsysReport::gpu_summary,
                                                    NsysReport::kernel_trace,   NsysReport::grid_summary,
                                                    NsysReport::kernel_summary, NsysReport::call_summary};
  std::vector<CsvTable>& tables = csv.tables;
  rows.format = "nsys stats CSV";
  std::vector<size_t> read;
  for (const NsysReport report : kOfKernels)
    if (const auto found = find_report(tables, report, file); found && read.empty()) read = {*found};
  std::vector<std::string> others;
  const bool has_copies = !read.empty() && report_of(tables[read[0]].columns) <= NsysReport::gpu_summary;
  if (const auto memory = find_report(tables, NsysReport::memory_summary, file); memory && !has_copies)
    read.push_back(*memory);
  for (size_t t = 0; t < tables.size(); ++t)
    if (std::ranges::find(read, t) == read.end()) others.push_back(report_name_of(tables[t]));
  if (read.empty())
    throw Error(fmt::format("{}: this output of nsys stats has no list of all kernels, but {}", file,
                            fmt::join(others, ", ")),
                kKernelReport);
  std::ranges::sort(read);
  for (const size_t t : read) add_report(std::move(tables[t]), file, rows);
  if (!others.empty())
    rows.warnings.push_back(
        fmt::format("of this output of nsys stats, {} not read: {}",
                    others.size() == 1 ? "one report is" : fmt::format("{} reports are", others.size()),
                    fmt::join(others, ", ")));
}

}  // namespace kjoule
