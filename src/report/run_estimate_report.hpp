#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "compare/run/run_estimate.hpp"
#include "report/table_columns.hpp"

namespace kjoule {

/// Returns the estimated time of a run, the test of this estimate, and the largest kernels, for a terminal.
std::string run_estimate_text(const RunEstimate& run);
/// Returns the columns of the kernels in run_estimate_text().
TableColumns run_estimate_columns();
/// Returns the value of "estimate" in the report that docs/reference/schemas/run_report.schema.json
/// describes.
nlohmann::ordered_json run_estimate_json(const RunEstimate& run);

}  // namespace kjoule
