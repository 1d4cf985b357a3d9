#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "compare/run/run_estimate.hpp"
#include "report/table_column.hpp"
#include "report/table_columns.hpp"

namespace kjoule {

/// A row of the table of the kernels of a run, and the run to which its shares are relative.
struct RunKernelRow {
  const KernelEstimate* kernel = nullptr;
  const RunEstimate* run = nullptr;
};

/// Returns the columns of the kernels of an estimate: of run_estimate_text() and run_estimate_json().
const std::vector<TableColumn<RunKernelRow>>& run_kernel_columns();
/// Returns the name of a kernel; of a copy or memset, also its size.
std::string name_with_size(const KernelEstimate& kernel);
/// Returns the estimated time of a run and the test of this estimate, for a terminal.
std::string run_estimate_head(const RunEstimate& run);
/// Returns the estimated time of a run, the test of this estimate, and the largest kernels, for a terminal.
std::string run_estimate_text(const RunEstimate& run);
/// Returns the columns of the kernels in run_estimate_text().
TableColumns run_estimate_columns();
/// Returns the value of "estimate" in the report that docs/reference/schemas/run_report.schema.json
/// describes.
nlohmann::ordered_json run_estimate_json(const RunEstimate& run);

}  // namespace kjoule
