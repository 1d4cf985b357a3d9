#include "importers/foreign_columns.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kjoule {

namespace {

struct KnownColumn {
  std::string_view name;
  ColumnKind kind;
  const char* field;
};

/// Columns of other tools, without their units.
constexpr KnownColumn kKnown[] = {
    {"calls", ColumnKind::count, "count"},
    {"Calls", ColumnKind::count, "count"},
    {"Count", ColumnKind::count, "count"},
    {"Instances", ColumnKind::count, "count"},
    {"Invocations", ColumnKind::count, "count"},
    {"# of Calls", ColumnKind::count, "count"},
    {"Total Time", ColumnKind::time, "total_us"},
    {"Avg", ColumnKind::time, "mean_us"},
    {"Average", ColumnKind::time, "mean_us"},
    {"Min", ColumnKind::time, "min_us"},
    {"Minimum", ColumnKind::time, "min_us"},
    {"Max", ColumnKind::time, "max_us"},
    {"Maximum", ColumnKind::time, "max_us"},
    {"Duration", ColumnKind::time, "dur"},
    {"gpu__time_duration.sum", ColumnKind::time, "dur"},
    {"GrdX", ColumnKind::grid_part, "grid"},
    {"GrdY", ColumnKind::grid_part, "grid"},
    {"GrdZ", ColumnKind::grid_part, "grid"},
    {"BlkX", ColumnKind::grid_part, "block"},
    {"BlkY", ColumnKind::grid_part, "block"},
    {"BlkZ", ColumnKind::grid_part, "block"},
    {"GridXYZ", ColumnKind::extent, "grid"},
    {"BlockXYZ", ColumnKind::extent, "block"},
    {"Grid Size", ColumnKind::extent, "grid"},
    {"Block Size", ColumnKind::extent, "block"},
    {"device", ColumnKind::device, "device"},
    {"Device", ColumnKind::device, "device"},
    {"gpu", ColumnKind::device, "gpu"},
    {"GPU", ColumnKind::device, "gpu"},
    {"signature_json", ColumnKind::field, "signature"},
};

/// Columns of nsys stats and ncu that kjoule does not use. Sizes are not used because nsys rounds them to MB.
constexpr std::string_view kPassed[] = {
    "Time",
    "Time(%)",
    "Med",
    "Median",
    "StdDev",
    "Start",
    "CorrId",
    "Reg/Trd",
    "StcSMem",
    "DymSMem",
    "Bytes",
    "Throughput",
    "SrcMemKd",
    "DstMemKd",
    "Ctx",
    "GreenCtx",
    "Strm",
    "ID",
    "Process ID",
    "Process Name",
    "Host Name",
    "Context",
    "Stream",
    "CC",
    "Section Name",
    "Metric Name",
    "Metric Unit",
    "Metric Value",
    "Rule Name",
    "Rule Type",
    "Rule Description",
    "Estimated Speedup Type",
    "Estimated Speedup",
    "category",
};

constexpr std::string_view kNames[] = {"name", "Name", "kernel_name", "Kernel Name", "kernel", "Kernel"};

/// Divides a header into name and unit: "Avg (ns)" into "Avg" and "ns". The unit may be empty.
std::pair<std::string_view, std::string_view> without_unit(std::string_view column) {
  const size_t open = column.rfind(" (");
  if (open == std::string_view::npos || !column.ends_with(')')) return {column, {}};
  return {column.substr(0, open), column.substr(open + 2, column.size() - open - 3)};
}

/// Returns the microseconds per unit for times whose columns state no unit: that of the first column which
/// states one, because nsys of 2021 does so in "Total Time" only; otherwise 1.
double common_unit_us(const std::vector<std::string>& columns) {
  for (const std::string& column : columns)
    if (const auto unit = time_unit_us(without_unit(column).second)) return *unit;
  return 1;
}

/// Returns whether a column is a metric that a profiler adds, such as "dram__bytes_read.sum".
bool is_metric(std::string_view column) {
  return column.find("__") != std::string_view::npos && column.find('.') != std::string_view::npos;
}

}  // namespace

bool is_name_column(std::string_view column) {
  return std::ranges::find(kNames, column) != std::end(kNames);
}

std::optional<double> time_unit_us(std::string_view unit) {
  if (unit == "ns" || unit == "nsecond") return 1e-3;
  if (unit == "us" || unit == "usecond") return 1;
  if (unit == "ms" || unit == "msecond") return 1e3;
  if (unit == "s" || unit == "second") return 1e6;
  return {};
}

std::vector<ForeignColumn> foreign_columns(const std::vector<std::string>& columns) {
  std::vector<ForeignColumn> meanings;
  const double common_us = common_unit_us(columns);
  bool has_name = false;
  for (const std::string& column : columns) {
    const auto [base, unit] = without_unit(column);
    const auto known = std::ranges::find(kKnown, base, &KnownColumn::name);
    if (is_name_column(column)) {
      meanings.push_back({has_name ? ColumnKind::passed : ColumnKind::name, "name"});
      has_name = true;
    } else if (known != std::end(kKnown)) {
      meanings.push_back({known->kind, known->field, time_unit_us(unit).value_or(common_us)});
    } else if (std::ranges::find(kPassed, base) != std::end(kPassed) || is_metric(column)) {
      meanings.push_back({ColumnKind::passed, column});
    } else {
      meanings.push_back({ColumnKind::field, column});
    }
  }
  return meanings;
}

std::string plain_kernel_name(const std::string& name) {
  constexpr std::string_view kCopy = "[CUDA memcpy ", kSet = "[CUDA memset";
  if (name.starts_with(kSet)) return "Memset (Device)";
  if (!name.starts_with(kCopy) || !name.ends_with(']')) return name;
  std::string way = name.substr(kCopy.size(), name.size() - kCopy.size() - 1);
  constexpr std::array<std::pair<std::string_view, const char*>, 4> kWays = {{{"Host-to-Device", "HtoD"},
                                                                              {"Device-to-Host", "DtoH"},
                                                                              {"Device-to-Device", "DtoD"},
                                                                              {"Host-to-Host", "HtoH"}}};
  for (const auto& [long_way, short_way] : kWays)
    if (way == long_way) way = short_way;
  return "Memcpy " + way;
}

}  // namespace kjoule
