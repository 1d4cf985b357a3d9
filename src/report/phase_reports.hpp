#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "compare/run/run_comparison.hpp"
#include "report/table_column.hpp"

namespace kjoule {

/// Returns a value that the profiler measured as JSON: null for a window, during which the profiler was off.
nlohmann::ordered_json unless_window(const PartFacts& facts, double value);
/// Returns the table of the phases that were measured by replay, and the verdict on the run.
std::string run_comparison_text(const RunComparison& run);
/// Returns the columns of the phases that were measured by replay: of run_comparison_text() and of the
/// objects in run_comparison_json().
const std::vector<TableColumn<MeasuredPhase>>& measured_phase_columns();
/// Returns those of them that run_comparison_text() shows, for the help.
TableColumns phase_columns();
/// Returns the number of further starts, and how they ended, as one sentence without a full stop.
std::string further_starts_sentence(const FurtherStarts& starts);
/// Returns this sentence for a terminal.
std::string further_starts_text(const FurtherStarts& starts);
/// Returns the value of "replayed" in the report that docs/reference/schemas/run_report.schema.json
/// describes.
nlohmann::ordered_json run_comparison_json(const RunComparison& run);

}  // namespace kjoule
