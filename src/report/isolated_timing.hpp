#pragma once
#include <nlohmann/json.hpp>
#include <vector>

#include "compare/iteration/comparison.hpp"
#include "run/run_rows.hpp"

namespace kjoule {

/// Returns isolated_kernels_timing.json. The rows contain the blocks that were repeated for a power meter. If
/// a comparison is given, its times in context are added.
nlohmann::ordered_json isolated_kernels_timing(const nlohmann::json& run,
                                               const std::vector<KernelResult>& kernels, const RowList& rows,
                                               const Comparison* comparison = nullptr);
/// Returns the field `load_pattern` of a timing file.
nlohmann::ordered_json load_pattern_json(const PlayedLoad& played);

}  // namespace kjoule
