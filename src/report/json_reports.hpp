#pragma once
#include <nlohmann/json.hpp>

#include "compare/result.hpp"

namespace kjoule {

/// Returns full_model_timing.json: statistics of the runs, and the timestamps at which they began and ended.
nlohmann::ordered_json full_model_timing(const nlohmann::json& run, const ProgramIterations& full);
/// Returns comparison_report.json with the `top` kernels of largest time.
nlohmann::ordered_json comparison_report(const Comparison& comparison, size_t top);

/// Statistics of the runs' durations. All values are NaN when there was no run.
struct RunStatistics {
  double mean_us, min_us, max_us, median_us, p95_us, standard_error_us;
};
RunStatistics run_statistics(const std::vector<double>& run_s);

/// Returns a description of how kernels of the tier were replayed on the device of this run.
std::string tier_method(const nlohmann::json& run, Tier tier);

}  // namespace kjoule
