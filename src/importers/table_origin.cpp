#include "importers/table_origin.hpp"

#include <algorithm>

#include "importers/time_unit.hpp"

namespace kjoule {

namespace {

/// Headings that occur together in the reports of one tool only.
struct KnownReport {
  TableOrigin origin;
  std::vector<std::string_view> columns;
};

const std::vector<KnownReport>& known_reports() {
  static const std::vector<KnownReport> reports{
      {TableOrigin::ncu, {"Metric Name", "Metric Unit"}},
      {TableOrigin::ncu, {"ID", "Kernel Name"}},
      {TableOrigin::nvprof, {"Type", "Time(%)", "Time"}},
      {TableOrigin::nvprof, {"Time(%)", "Time", "Calls", "Avg"}},
      {TableOrigin::nvprof, {"Start", "Duration", "Grid X"}},
      {TableOrigin::nvprof, {"Device", "Kernel", "Invocations", "Metric Name"}},
      {TableOrigin::nvprof, {"Device", "Kernel", "Invocations", "Event Name"}},
      {TableOrigin::nvprof, {"Device", "Count", "Avg Size", "Total Size"}},
      {TableOrigin::nsys, {"Time (%)", "Total Time"}},
      {TableOrigin::nsys, {"Time(%)", "Total Time"}},
      {TableOrigin::nsys, {"Total", "Operation"}},
      {TableOrigin::nsys, {"Start", "Duration", "CorrId"}},
      {TableOrigin::nsys, {"Start", "Duration", "CorrID"}},
      {TableOrigin::nsys, {"Start", "Duration", "RangeId"}},
      {TableOrigin::nsys, {"Start", "Duration", "GrdX"}},
      {TableOrigin::nsys, {"Projected Start", "Projected Duration"}},
      {TableOrigin::nsys, {"NVTX Range", "Kernel Name"}},
      {TableOrigin::nsys, {"Range", "Style"}},
      {TableOrigin::nsys, {"API Name", "Kernel Name"}},
      {TableOrigin::nsys, {"API Function", "Kernel Name"}},
      {TableOrigin::rocprof, {"Name", "TotalDurationNs"}},
      {TableOrigin::rocprof, {"Kernel_Name", "Start_Timestamp"}},
      {TableOrigin::rocprof, {"Kernel_Name", "Grid_Size_X"}},
      {TableOrigin::rocprof, {"KernelName", "DurationNs"}},
      {TableOrigin::rocprof, {"KernelName", "gpu-id"}},
      {TableOrigin::rocprof, {"Kind", "Direction", "Start_Timestamp"}},
      {TableOrigin::rocprof, {"Domain", "Function", "Start_Timestamp"}},
      {TableOrigin::rocprof, {"Kernel_Name", "Counter_Name"}}};
  return reports;
}

}  // namespace

size_t position_of(const std::vector<std::string>& columns, std::string_view name) {
  const auto at = std::ranges::find_if(columns, [&](const std::string& column) {
    return column == name || split_heading(column).name == name;
  });
  return static_cast<size_t>(at - columns.begin());
}

bool has_column(const std::vector<std::string>& columns, std::string_view name) {
  return position_of(columns, name) < columns.size();
}

TableOrigin origin_of(const std::vector<std::string>& columns) {
  for (const KnownReport& report : known_reports())
    if (std::ranges::all_of(report.columns, [&](std::string_view name) { return has_column(columns, name); }))
      return report.origin;
  return TableOrigin::other;
}

}  // namespace kjoule
