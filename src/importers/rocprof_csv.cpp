#include "importers/rocprof_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <utility>

#include "base/error.hpp"
#include "base/json/dump_json.hpp"
#include "importers/host_call.hpp"

namespace kjoule {

namespace {

constexpr const char* kRocprofRemedy =
    "pass the file kernel_stats.csv or kernel_trace.csv of rocprofv3 --kernel-trace --stats --output-format "
    "csv";

/// Returns the position of the first of several headings that a table has. Versions of rocprof differ.
size_t position_of_any(const CsvTable& table, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const size_t column = position_of(table.columns, name); column < table.columns.size()) return column;
  return table.columns.size();
}

/// Like position_of_any(), for the names of the kernels. Throws Error if the table has no such heading.
size_t position_of_names(const CsvTable& table, const std::string& file,
                         std::initializer_list<std::string_view> names) {
  const size_t column = position_of_any(table, names);
  if (column == table.columns.size())
    throw Error(fmt::format("{}:{}: this table of rocprof has no column of names", file, table.line),
                kRocprofRemedy);
  return column;
}

[[noreturn]] void refuse_rocprof(const std::string& file, const char* contents) {
  throw Error(fmt::format("{}: this table of rocprof lists {}, not kernels", file, contents), kRocprofRemedy);
}

/// Throws Error if the statistics are not those of kernels.
void check_statistics(const CsvTable& table, const std::string& file) {
  constexpr std::array<std::string_view, 5> kDomains = {"KERNEL_DISPATCH", "HIP_API", "HSA_API",
                                                        "MEMORY_COPY", "HIP_RUNTIME_API"};
  const size_t name = position_of_names(table, file, {"Name"});
  const auto is_domain = [&](const CsvTable::Row& row) {
    return std::ranges::find(kDomains, row.cells[name]) != kDomains.end();
  };
  const auto is_call = [&](const CsvTable::Row& row) { return is_host_call(row.cells[name]); };
  if (table.any_row(is_domain)) refuse_rocprof(file, "sums of each domain");
  if (table.first_row() && !table.any_row(std::not_fn(is_call))) refuse_rocprof(file, "calls of the host");
}

std::optional<int64_t> whole_in(const CsvTable::Row& row, size_t column) {
  if (column >= row.cells.size()) return {};
  const std::string& cell = row.cells[column];
  int64_t number = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (cell.empty() || error != std::errc() || end != cell.data() + cell.size()) return {};
  return number;
}

/// Converts a trace: a row for each dispatch of a kernel, or for each copy.
class DispatchTrace {
 public:
  DispatchTrace(const CsvTable& table, const std::string& file)
      : table_(table),
        file_(file),
        name_(position_of_names(table, file, {"Kernel_Name", "KernelName", "Direction"})),
        begin_(position_of_any(table, {"Start_Timestamp", "BeginNs"})),
        end_(position_of_any(table, {"End_Timestamp", "EndNs"})),
        agent_(position_of_any(table, {"Agent_Id", "GPU_ID", "gpu-id", "Source_Agent_Id"})) {
    for (size_t axis = 0; axis < 3; ++axis) {
      const std::string letter(1, static_cast<char>('X' + axis));
      grid_[axis] = position_of(table.columns, "Grid_Size_" + letter);
      group_[axis] = position_of(table.columns, "Workgroup_Size_" + letter);
    }
    const auto first = table.first_row();
    if (!first || agent_ >= table.columns.size()) return;
    const std::string& agent = first->cells[agent_];
    has_several_agents_ = table.any_row([&](const CsvTable::Row& row) { return row.cells[agent_] != agent; });
  }

  void add_to(TableRows& rows) const {
    const auto columns = foreign_columns({"Name", "Duration (ns)", "grid", "block", "device"});
    table_.for_each_row([&](const CsvTable::Row& row) {
      rows.add(CsvTable::Row{{name_of(row), duration_of(row), grid_of(row), block_of(row), device_of(row)},
                             row.line},
               columns, {});
    });
    if (has_several_agents_) rows.warnings.emplace_back("the numbers of GPUs are those of rocprof's agents");
  }

 private:
  std::string name_of(const CsvTable::Row& row) const {
    const std::string& name = row.cells[name_];
    return table_.columns[name_] == "Direction" && !name.starts_with("MEMORY_COPY_") ? "MEMORY_COPY_" + name
                                                                                     : name;
  }

  std::string duration_of(const CsvTable::Row& row) const {
    if (begin_ >= row.cells.size() || end_ >= row.cells.size()) return {};
    const auto begin = whole_in(row, begin_), end = whole_in(row, end_);
    int64_t duration = 0;
    if (!begin || !end || __builtin_sub_overflow(*end, *begin, &duration) || duration < 0)
      throw Error(fmt::format("{}:{}: the dispatch begins at {} ns and ends at {} ns", file_, row.line,
                              quote_json(row.cells[begin_]), quote_json(row.cells[end_])),
                  kRocprofRemedy);
    return std::to_string(duration);
  }

  std::string block_of(const CsvTable::Row& row) const {
    const auto x = whole_in(row, group_[0]), y = whole_in(row, group_[1]), z = whole_in(row, group_[2]);
    return x && y && z ? fmt::format("{}x{}x{}", *x, *y, *z) : "";
  }

  /// Returns the number of work-groups. The trace states the number of work-items.
  std::string grid_of(const CsvTable::Row& row) const {
    std::string grid;
    for (size_t axis = 0; axis < 3; ++axis) {
      const auto items = whole_in(row, grid_[axis]), group = whole_in(row, group_[axis]);
      if (!items || !group || *items < 1 || *group < 1) return {};
      grid += fmt::format("{}{}", axis > 0 ? "x" : "", (*items - 1) / *group + 1);
    }
    return grid;
  }

  /// Returns the number of the agent, "4" of "Agent 4"; empty if the trace has only one.
  std::string device_of(const CsvTable::Row& row) const {
    if (!has_several_agents_) return {};
    const std::string& agent = row.cells[agent_];
    return agent.substr(std::min(agent.find_first_of("0123456789"), agent.size()));
  }

  const CsvTable& table_;
  const std::string& file_;
  size_t name_, begin_, end_, agent_;
  std::array<size_t, 3> grid_{}, group_{};
  bool has_several_agents_ = false;
};

}  // namespace

void read_rocprof_csv(CsvTables csv, const std::string& file, TableRows& rows) {
  rows.format = "rocprof CSV";
  for (CsvTable& table : csv.tables) {
    const auto has = [&](std::string_view name) { return has_column(table.columns, name); };
    if (has("Function")) refuse_rocprof(file, "calls of the host");
    if (has("Counter_Name")) refuse_rocprof(file, "counters");
    if (!has("TotalDurationNs")) {
      DispatchTrace(table, file).add_to(rows);
      continue;
    }
    check_statistics(table, file);
    const std::vector<ForeignColumn> columns = foreign_columns(table.columns);
    rows.add(table, columns, digit_style_of(table, columns, file));
  }
}

}  // namespace kjoule
