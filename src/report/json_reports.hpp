#pragma once
#include <nlohmann/json.hpp>

#include "compare/iteration/comparison.hpp"

namespace kjoule {

/// Returns full_model_timing.json: statistics of the program's timed iterations, and the timestamps of the
/// first begin and the last end.
nlohmann::ordered_json full_model_timing(const nlohmann::json& run, const ProgramIterations& full);
/// Returns comparison_report.json with the `top` kernels of largest time.
nlohmann::ordered_json comparison_report(const Comparison& comparison, size_t top);

/// Statistics of the durations of iterations. All values are NaN if none was timed.
struct RunStatistics {
  double mean_us, min_us, max_us, median_us, p95_us, standard_error_us;
};
RunStatistics run_statistics(const std::vector<double>& run_s);

/// Returns a description of how kernels of the tier were replayed on the device of this run.
std::string tier_method(const nlohmann::json& run, Tier tier);

}  // namespace kjoule
