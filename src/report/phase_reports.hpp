#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "compare/run_comparison.hpp"

namespace kjoule {

/// Returns the table of the phases that were measured by replay, and the verdict on the run.
std::string run_comparison_text(const RunComparison& run);
/// Returns the number of further starts, and how they ended.
std::string further_starts_text(const FurtherStarts& starts);
/// Returns the value of "replayed" in the report that docs/reference/schemas/run_report.schema.json
/// describes.
nlohmann::ordered_json run_comparison_json(const RunComparison& run);

}  // namespace kjoule
