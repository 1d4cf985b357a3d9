#include "compare/ranks/watch_ranks.hpp"

#include <utility>

#include "base/error.hpp"
#include "compare/ranks/compare_watched.hpp"
#include "recording/run_log.hpp"

namespace kjoule {

namespace {

constexpr uintmax_t kMostBytesOfRank = uintmax_t{512} << 20;

WatchedRank read_rank(const std::filesystem::path& logs, const LoggedRank& rank) {
  const auto folder = logs / std::to_string(rank.recording->program.value("process", 0));
  if (!std::filesystem::exists(folder)) throw Error("the run of " + rank.name + " was not logged");
  uintmax_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) bytes += file.file_size();
  if (bytes > kMostBytesOfRank) throw Error("the log of " + rank.name + " is larger than 512 MiB");
  RunLog log = read_run_log(folder);
  // Several ranks may be GPUs of one process.
  if (rank.recording->program.contains("gpu")) keep_device(rank.recording->program.at("gpu").get<int>(), log);
  return watch_rank(rank.name, log, *rank.recording);
}

}  // namespace

WatchedRanks watch_ranks(const std::filesystem::path& logs, const std::vector<LoggedRank>& ranks) {
  WatchedRanks result;
  try {
    std::vector<WatchedRank> watched;
    for (const LoggedRank& rank : ranks) watched.push_back(read_rank(logs, rank));
    result = compare_watched(std::move(watched));
  } catch (const Error& error) {
    result.error = error.what();
  }
  return result;
}

}  // namespace kjoule
