#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compare/iteration/comparison.hpp"

namespace kjoule {

/// Returns the table of an iteration's NVTX ranges as a tree. Shares are relative to `sum_s`, the sum of all
/// kernels' times, s. Empty if there are no ranges.
std::string ranges_text(const std::vector<RangeResult>& ranges, double sum_s);

/// Returns the field `ranges` of comparison_report.json.
nlohmann::ordered_json ranges_json(const std::vector<RangeResult>& ranges);

}  // namespace kjoule
