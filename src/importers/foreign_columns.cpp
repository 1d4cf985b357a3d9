#include "importers/foreign_columns.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "importers/kernel_fields.hpp"
#include "importers/kernel_heading.hpp"
#include "importers/time_unit.hpp"

namespace kjoule {

namespace {

struct KnownColumn {
  std::string_view name;
  ColumnKind kind;
  const char* field;
};

/// Columns of other tools that are neither numbers of launches nor times.
constexpr KnownColumn kKnown[] = {
    {"GrdX", ColumnKind::grid_part, "grid"},     {"GrdY", ColumnKind::grid_part, "grid"},
    {"GrdZ", ColumnKind::grid_part, "grid"},     {"BlkX", ColumnKind::grid_part, "block"},
    {"BlkY", ColumnKind::grid_part, "block"},    {"BlkZ", ColumnKind::grid_part, "block"},
    {"Grid X", ColumnKind::grid_part, "grid"},   {"Grid Y", ColumnKind::grid_part, "grid"},
    {"Grid Z", ColumnKind::grid_part, "grid"},   {"Block X", ColumnKind::grid_part, "block"},
    {"Block Y", ColumnKind::grid_part, "block"}, {"Block Z", ColumnKind::grid_part, "block"},
    {"grid_x", ColumnKind::grid_part, "grid"},   {"grid_y", ColumnKind::grid_part, "grid"},
    {"grid_z", ColumnKind::grid_part, "grid"},   {"block_x", ColumnKind::grid_part, "block"},
    {"block_y", ColumnKind::grid_part, "block"}, {"block_z", ColumnKind::grid_part, "block"},
    {"GridXYZ", ColumnKind::extent, "grid"},     {"BlockXYZ", ColumnKind::extent, "block"},
    {"Grid Size", ColumnKind::extent, "grid"},   {"Block Size", ColumnKind::extent, "block"},
    {"device", ColumnKind::device, "device"},    {"Device", ColumnKind::device, "device"},
    {"DevId", ColumnKind::device, "device"},     {"gpu", ColumnKind::device, "gpu"},
    {"GPU", ColumnKind::device, "gpu"},          {"signature_json", ColumnKind::field, "signature"},
    {"Kernel Time", ColumnKind::passed, ""},
};

/// Columns of profilers that kjoule does not use. Sizes are not used because nsys rounds them to MB.
constexpr std::string_view kPassed[] = {"Time",
                                        "Med",
                                        "Median",
                                        "StdDev",
                                        "Start",
                                        "CorrId",
                                        "CorrID",
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
                                        "Percentage",
                                        "Registers Per Thread",
                                        "Static SMem",
                                        "Dynamic SMem",
                                        "Size",
                                        "SrcMemType",
                                        "DstMemType",
                                        "Type",
                                        "Correlation_ID",
                                        "category",
                                        "Estimated Speedup Type",
                                        "Estimated Speedup",
                                        "PID",
                                        "TID"};

/// Returns whether a column is a metric that a profiler adds, such as "dram__bytes_read.sum".
bool is_metric(std::string_view column) {
  return column.find("__") != std::string_view::npos && column.find('.') != std::string_view::npos;
}

}  // namespace

bool is_name_column(std::string_view column) {
  std::string letters;
  for (const char c : column)
    if (c != ' ' && c != '_') letters += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return letters == "name" || letters == "kernelname" || letters == "kernel";
}

std::vector<ForeignColumn> foreign_columns(const std::vector<std::string>& columns) {
  std::vector<ForeignColumn> meanings;
  bool has_name = false;
  for (const std::string& column : columns) {
    const std::string_view base = split_heading(column).name;
    const auto known = std::ranges::find(kKnown, base, &KnownColumn::name);
    const KernelHeading heading = read_kernel_heading(column);
    if (is_name_column(column)) {
      meanings.push_back({has_name ? ColumnKind::passed : ColumnKind::name, "name"});
      has_name = true;
    } else if (known != std::end(kKnown)) {
      meanings.push_back({known->kind, known->field});
    } else if (heading.meaning == HeadingMeaning::count || heading.is_time()) {
      meanings.push_back({ColumnKind::number, column});
    } else if (!is_kernel_field(column) &&
               (std::ranges::find(kPassed, base) != std::end(kPassed) || is_metric(column))) {
      meanings.push_back({ColumnKind::passed, column});
    } else {
      meanings.push_back({ColumnKind::field, column});
    }
  }
  return meanings;
}

std::string plain_kernel_name(const std::string& name) {
  constexpr std::string_view kCopy = "[CUDA memcpy ", kSet = "[CUDA memset", kAmd = "MEMORY_COPY_";
  constexpr std::array<std::string_view, 2> kAmdEndings = {" [clone .kd]", ".kd"};
  for (const std::string_view ending : kAmdEndings)
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  if (name.starts_with(kSet)) return "Memset (Device)";
  std::string way;
  if (name.starts_with(kCopy) && name.ends_with(']'))
    way = name.substr(kCopy.size(), name.size() - kCopy.size() - 1);
  else if (name.starts_with(kAmd))
    way = name.substr(kAmd.size());
  else if (name.starts_with("Copy"))
    way = name.substr(4);
  else
    return name;
  constexpr std::array<std::array<std::string_view, 4>, 4> kWays = {
      {{"HtoD", "Host-to-Device", "HOST_TO_DEVICE", "HostToDevice"},
       {"DtoH", "Device-to-Host", "DEVICE_TO_HOST", "DeviceToHost"},
       {"DtoD", "Device-to-Device", "DEVICE_TO_DEVICE", "DeviceToDevice"},
       {"HtoH", "Host-to-Host", "HOST_TO_HOST", "HostToHost"}}};
  for (const auto& ways : kWays)
    if (std::ranges::find(ways, way) != ways.end()) return "Memcpy " + std::string(ways[0]);
  return name.starts_with(kCopy) ? "Memcpy " + way : name;
}

}  // namespace kjoule
