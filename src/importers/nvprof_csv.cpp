#include "importers/nvprof_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/text/counted.hpp"
#include "importers/kernel_heading.hpp"
#include "importers/time_unit.hpp"

namespace kjoule {

namespace {

constexpr const char* kGpuRemedy =
    "write the kernels with nvprof --csv, or with nvprof --csv --print-gpu-trace";

enum class NvprofReport { summary, gpu_trace, host_calls, metrics, memory };

NvprofReport report_of_nvprof(const CsvTable& table) {
  const auto has = [&](std::string_view name) { return has_column(table.columns, name); };
  if (has("Metric Name") || has("Event Name")) return NvprofReport::metrics;
  if (has("Avg Size")) return NvprofReport::memory;
  if (has("Grid X")) return NvprofReport::gpu_trace;
  const bool is_summary = has("Time") && !table.caption.ends_with("API calls:");
  return is_summary ? NvprofReport::summary : NvprofReport::host_calls;
}

/// Writes the units of the line below the header into the headings of times, and removes this line.
void take_unit_line(CsvTable& table) {
  const size_t name = position_of(table.columns, "Name");
  const std::optional<CsvTable::Row> first = table.first_row();
  if (!first || !first->cells[name].empty()) return;
  for (size_t c = 0; c < table.columns.size(); ++c)
    if (const std::string& unit = first->cells[c];
        power_of_unit(unit) && read_kernel_heading(table.columns[c]).is_time())
      table.columns[c] = fmt::format("{} ({})", table.columns[c], unit);
  table.change_rows([line = first->line](const CsvTable::Row& row) { return row.line != line; });
}

/// Removes the rows that are not activities of the GPU. Returns their number.
size_t remove_other_types(CsvTable& table) {
  const size_t type = position_of(table.columns, "Type");
  if (type == table.columns.size()) return 0;
  const auto is_activity = [type](const CsvTable::Row& row) { return row.cells[type] == "GPU activities"; };
  size_t others = 0;
  table.for_each_row([&](const CsvTable::Row& row) { others += is_activity(row) ? 0 : 1; });
  table.change_rows(is_activity);
  return others;
}

/// Removes the number that nvprof writes after the names of a trace: "gemm(float*) [104]".
void remove_call_numbers(CsvTable& table) {
  const size_t name = position_of(table.columns, "Name");
  table.change_rows([name](CsvTable::Row& row) {
    std::string& text = row.cells[name];
    const size_t open = text.rfind(" [");
    if (open == std::string::npos || !text.ends_with(']')) return true;
    const std::string_view number = std::string_view(text).substr(open + 2, text.size() - open - 3);
    if (!number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos)
      text.resize(open);
    return true;
  });
}

void add_nvprof_table(CsvTable table, const std::string& file, TableRows& rows) {
  remove_call_numbers(table);
  for (std::string& column : table.columns)
    if (column == "Time" || column.starts_with("Time (")) column.insert(0, "Total ");
  take_units_of_cells(table);
  std::vector<ForeignColumn> columns = foreign_columns(table.columns);
  const DigitStyle style = digit_style_of(table, columns, file);
  complete_units(table, style, file);
  columns = foreign_columns(table.columns);
  rows.add(table, columns, style);
}

}  // namespace

void read_nvprof_csv(CsvTables csv, const std::string& file, TableRows& rows) {
  rows.format = "nvprof CSV";
  size_t calls = 0, metrics = 0, summaries = 0, traces = 0;
  for (CsvTable& table : csv.tables) {
    const NvprofReport report = report_of_nvprof(table);
    if (report == NvprofReport::metrics) ++metrics;
    if (report == NvprofReport::host_calls) table.for_each_row([&calls](const CsvTable::Row&) { ++calls; });
    if (report != NvprofReport::summary && report != NvprofReport::gpu_trace) continue;
    if (!has_column(table.columns, "Name"))
      throw Error(fmt::format("{}:{}: this table of nvprof has no column \"Name\"", file, table.line),
                  kGpuRemedy);
    ++(report == NvprofReport::summary ? summaries : traces);
    take_unit_line(table);
    calls += remove_other_types(table);
    add_nvprof_table(std::move(table), file, rows);
  }
  if (summaries > 0 && traces > 0)
    throw Error(file + ": contains both a summary and a trace of nvprof, which list the same kernels",
                "write each of them to a file of its own");
  if (rows.empty())
    throw Error(fmt::format("{}: this table of nvprof lists no kernels{}", file,
                            metrics > 0 ? ", but metrics"
                            : calls > 0 ? ", but calls of the host"
                                        : ""),
                kGpuRemedy);
  if (calls > 0)
    rows.warnings.push_back(
        fmt::format("{} of nvprof that {} not of the GPU {} not read, such as calls of the API",
                    counted(calls, "row"), agreeing(calls, "is", "are"), agreeing(calls, "is", "are")));
}

}  // namespace kjoule
