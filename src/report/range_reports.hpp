#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compare/result.hpp"

namespace kjoule {

/// Returns the table of an iteration's ranges (NVTX) as a tree, with the share of the sum (seconds) that each
/// has; empty without ranges.
std::string ranges_text(const std::vector<RangeResult>& ranges, double sum_s);

/// Returns "ranges" of comparison_report.json.
nlohmann::ordered_json ranges_json(const std::vector<RangeResult>& ranges);

}  // namespace kjoule
