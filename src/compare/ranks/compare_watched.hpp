#pragma once
#include <vector>

#include "compare/ranks/watched_rank.hpp"
#include "run/watched_ranks.hpp"

namespace kjoule {

/// Returns what the ranks did in the last iterations that are known of all of them. Throws Error that states
/// why this is not known.
WatchedRanks compare_watched(std::vector<WatchedRank> ranks);

/// Returns the largest computation time of a rank, divided by the mean of all ranks, minus 1.
double imbalance(const WatchedRanks& watched);

}  // namespace kjoule
