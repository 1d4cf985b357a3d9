#include "compare/ranks/watch_ranks.hpp"

#include <utility>

#include "base/error.hpp"
#include "compare/ranks/compare_watched.hpp"
#include "recording/run_log.hpp"

namespace kjoule {

namespace {

constexpr uintmax_t kMostBytesOfRank = uintmax_t{512} << 20;

int process_of(const LoggedRank& rank) {
  return rank.recording->program.value("process", 0);
}

WatchedRank read_rank(const std::filesystem::path& logs, const LoggedRank& rank) {
  const auto folder = logs / std::to_string(process_of(rank));
  if (!std::filesystem::exists(folder)) throw Error("the run of " + rank.name + " was not logged");
  uintmax_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) bytes += file.file_size();
  if (bytes > kMostBytesOfRank) throw Error("the log of " + rank.name + " is larger than 512 MiB");
  return watch_rank(rank.name, read_run_log(folder), *rank.recording);
}

bool are_of_one_process(const std::vector<LoggedRank>& ranks) {
  return ranks.size() > 1 && process_of(ranks[0]) == process_of(ranks[1]);
}

}  // namespace

WatchedRanks watch_ranks(const std::filesystem::path& logs, const std::vector<LoggedRank>& ranks) {
  WatchedRanks result;
  try {
    if (are_of_one_process(ranks))
      throw Error("the log of a process does not say which GPU has which place in its iteration");
    std::vector<WatchedRank> watched;
    for (const LoggedRank& rank : ranks) watched.push_back(read_rank(logs, rank));
    result = compare_watched(std::move(watched));
  } catch (const Error& error) {
    result.error = error.what();
  }
  return result;
}

}  // namespace kjoule
