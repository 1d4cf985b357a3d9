#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "run/watched_ranks.hpp"

namespace kjoule {

/// A rank whose iteration was recorded together with those of the others.
struct LoggedRank {
  std::string name;            ///< as in RankResult
  const Recording* recording;  ///< not null
};

/// Reads what the ranks of a program did before they were paused, from the logs of their runs
/// (InjectionOptions::run_log). `error` of the result states why this is not known.
WatchedRanks watch_ranks(const std::filesystem::path& logs, const std::vector<LoggedRank>& ranks);

}  // namespace kjoule
