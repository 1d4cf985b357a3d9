#pragma once
#include <vector>

#include "compare/iteration/rank_result.hpp"

namespace kjoule {

/// Returns the rank with the longest whole. The ranks replay in step, so its whole is that of the group.
const RankResult& slowest_rank(const std::vector<RankResult>& ranks);
/// Returns the rank whose verdict is that of the group: one that does not add up before one that is
/// inconclusive; if the verdicts are equal, the one with the largest difference that is not ruled out.
const RankResult& least_certain_rank(const std::vector<RankResult>& ranks);

}  // namespace kjoule
