#include "report/watched_reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "compare/ranks/compare_watched.hpp"
#include "compare/ranks/critical_path.hpp"
#include "report/interval_json.hpp"
#include "report/microseconds.hpp"
#include "report/shortened.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;
using TimeOfRank = std::function<double(const RankActivity&)>;
using Ranks = std::vector<RankActivity>;

constexpr size_t kMostNamedRanks = 3;
constexpr size_t kPathNameLength = 40;

/// Returns a row of the table on the first screen.
std::string activity_row(const Ranks& ranks, const char* label, const TimeOfRank& time_s) {
  const auto [least, most] = std::ranges::minmax_element(ranks, {}, time_s);
  double all_s = 0;
  for (const RankActivity& rank : ranks) all_s += time_s(rank);
  return fmt::format("  {:<33}{:>9.1f}{:>9.1f}  {:<8}{:>9.1f}  {}\n", label,
                     us(all_s / static_cast<double>(ranks.size())), us(time_s(*least)), least->rank,
                     us(time_s(*most)), most->rank);
}

/// Returns the half-width of a time; "unknown" if only one iteration was watched.
std::string waiting_width_text(const Interval& time_s) {
  return std::isfinite(time_s.half_width) ? fmt::format("{:.1f}", us(time_s.half_width)) : "unknown";
}

/// Returns the row of the waiting, and a line with its error; empty if no rank has any.
std::string waiting_text(const WatchedRanks& watched) {
  const auto waiting_s = [](const RankActivity& rank) { return rank.waiting_s->value; };
  Ranks waiting = watched.ranks;
  std::erase_if(waiting, [](const RankActivity& rank) { return !rank.waiting_s; });
  if (waiting.empty()) return {};
  const RankActivity& most = *std::ranges::max_element(waiting, {}, waiting_s);
  return activity_row(waiting, "waiting for the last rank", waiting_s) +
         wrapped("  waiting in the program: ",
                 fmt::format("{} most, {:.1f} +- {} us; clocks within {:.2f} us", most.rank,
                             us(most.waiting_s->value), waiting_width_text(*most.waiting_s),
                             us(watched.clock_error_s)));
}

std::string imbalance_line(const WatchedRanks& watched) {
  const RankActivity& most = *std::ranges::max_element(watched.ranks, {}, &RankActivity::computation_s);
  return wrapped("  imbalance: ", fmt::format("{} computes {:.1f} % longer than the mean of the ranks",
                                              most.rank, 100 * imbalance(watched)));
}

/// Returns the shares of the ranks in the critical path, the largest ones by name.
std::string path_ranks_text(const WatchedRanks& watched) {
  const PathSums& path = watched.path;
  std::vector<size_t> order(path.ranks_s.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](size_t rank) { return path.ranks_s[rank]; });
  std::string text;
  double rest = 1;
  for (size_t i = 0; i < std::min(order.size(), kMostNamedRanks); ++i) {
    const double share = path.ranks_s[order[i]] / path.all_s;
    rest -= share;
    text += fmt::format("{}{} {:.0f} %", i > 0 ? ", " : "", watched.ranks[order[i]].rank, 100 * share);
  }
  if (order.size() > kMostNamedRanks)
    text += fmt::format(", {} others {:.0f} %", order.size() - kMostNamedRanks, 100 * rest);
  return text;
}

std::string path_line(const WatchedRanks& watched) {
  const PathSums& path = watched.path;
  if (path.all_s <= 0) return {};
  std::string text = fmt::format("{:.1f} us:", us(path.all_s));
  for (size_t part = 0; part < kPathParts; ++part)
    text += fmt::format("{} {} {:.1f}", part > 0 ? "," : "", kPathPartNames[part], us(path.parts_s[part]));
  return wrapped("  critical path: ", text + "; on " + path_ranks_text(watched));
}

/// Returns a name of comparison_report.json for a part of the critical path, "launch_gaps_us".
std::string path_key(size_t part) {
  std::string key = kPathPartNames[part];
  std::ranges::replace(key, ' ', '_');
  return key + "_us";
}

Json path_json(const WatchedRanks& watched) {
  const PathSums& path = watched.path;
  Json json{{"all_us", us(path.all_s)}};
  for (size_t part = 0; part < kPathParts; ++part) json[path_key(part)] = us(path.parts_s[part]);
  json["rank_changes"] = path.rank_changes;
  Json ranks = Json::array(), kernels = Json::array();
  for (size_t rank = 0; rank < path.ranks_s.size(); ++rank)
    ranks.push_back({{"rank", watched.ranks[rank].rank}, {"us", us(path.ranks_s[rank])}});
  for (const PathKernel& kernel : path.kernels)
    kernels.push_back({{"rank", kernel.rank},
                       {"name", kernel.name},
                       {"launches", kernel.launches},
                       {"us", us(kernel.seconds)}});
  json["ranks"] = std::move(ranks);
  json["kernels"] = std::move(kernels);
  return json;
}

Json waiting_json(const WatchedRanks& watched) {
  Json list = Json::array();
  for (const CollectiveWaiting& kind : watched.collectives) {
    Json ranks = Json::array();
    for (size_t rank = 0; rank < kind.waiting_s.size(); ++rank)
      if (kind.waiting_s[rank])
        ranks.push_back({{"rank", watched.ranks[rank].rank},
                         {"waiting_us", value_json(kind.waiting_s[rank], 1e6)},
                         {"waiting_interval_us", interval_json(kind.waiting_s[rank], 1e6)}});
    list.push_back({{"operation", kind.operation},
                    {"communicator", kind.communicator},
                    {"message_bytes", kind.bytes > 0 ? Json(kind.bytes) : Json()},
                    {"ranks", std::move(ranks)}});
  }
  return list;
}

}  // namespace

std::string watched_screen(const WatchedRanks& watched) {
  if (!watched.error.empty()) return wrapped("\n  own iterations: ", "not known, because " + watched.error);
  const Ranks& ranks = watched.ranks;
  const std::string title = fmt::format("the program's own iterations ({})", watched.iterations);
  return fmt::format("\n  {:<33}{:>9}{:>9}  {:<8}{:>9}\n", title, "mean us", "least us", "", "most us") +
         activity_row(ranks, "one iteration", &RankActivity::iteration_s) +
         activity_row(ranks, "computation", &RankActivity::computation_s) +
         activity_row(ranks, "communication hidden by it", &RankActivity::hidden_s) +
         activity_row(ranks, "communication exposed", &RankActivity::exposed_s) + waiting_text(watched) +
         imbalance_line(watched) + path_line(watched);
}

std::string watched_details(const WatchedRanks& watched) {
  if (!watched.error.empty()) return {};
  std::string text = fmt::format("\n  {:<16}{:>14}{:>12}{:>9}{:>9}{:>10}{:>8}\n", "in the program",
                                 "iteration us", "compute us", "hidden", "exposed", "waiting", "+- us");
  for (const RankActivity& rank : watched.ranks)
    text += fmt::format("  {:<16}{:>14.1f}{:>12.1f}{:>9.1f}{:>9.1f}{:>10}{:>8}\n", rank.rank,
                        us(rank.iteration_s), us(rank.computation_s), us(rank.hidden_s), us(rank.exposed_s),
                        rank.waiting_s ? fmt::format("{:.1f}", us(rank.waiting_s->value)) : "-",
                        rank.waiting_s ? waiting_width_text(*rank.waiting_s) : "-");
  text += fmt::format("\n  {:<16}{:>10}{:>12}  {}\n", "critical path", "launches", "us", "kernel");
  for (const PathKernel& kernel : watched.path.kernels)
    text += fmt::format("  {:<16}{:>10.2f}{:>12.1f}  {}\n", kernel.rank, kernel.launches, us(kernel.seconds),
                        shortened(kernel.name, kPathNameLength));
  return text;
}

Json watched_json(const WatchedRanks& watched) {
  if (!watched.error.empty()) return {{"missing", watched.error}};
  Json ranks = Json::array();
  for (const RankActivity& rank : watched.ranks)
    ranks.push_back({{"rank", rank.rank},
                     {"iteration_us", us(rank.iteration_s)},
                     {"computation_us", us(rank.computation_s)},
                     {"communication_us", us(rank.communication_s())},
                     {"hidden_us", us(rank.hidden_s)},
                     {"exposed_us", us(rank.exposed_s)},
                     {"waiting_us", value_json(rank.waiting_s, 1e6)},
                     {"waiting_interval_us", interval_json(rank.waiting_s, 1e6)}});
  return {{"iterations", watched.iterations},
          {"clock_error_us", us(watched.clock_error_s)},
          {"imbalance_percent", 100 * imbalance(watched)},
          {"ranks", std::move(ranks)},
          {"collectives", waiting_json(watched)},
          {"critical_path", path_json(watched)}};
}

std::vector<TableColumns> watched_columns() {
  return {
      {"the program's own iterations, of all its ranks",
       {{"the program's own iterations (N)",
         "part of an iteration, as CUPTI saw it; N iterations were watched"},
        {"mean us", "mean over the ranks, in one iteration"},
        {"least us", "smallest value of a rank, and this rank"},
        {"most us", "largest value of a rank, and this rank"}}},
      {"the program's own iterations, by rank (-v)",
       {{"in the program", "rank"},
        {"iteration us", "time from the begin of an iteration to the begin of the next one"},
        {"compute us", "time in which at least one kernel runs that is not a collective"},
        {"hidden", "time in which a collective runs next to such a kernel, us"},
        {"exposed", "time in which a collective runs, but no such kernel, us"},
        {"waiting", "time for which the rank waits for the last rank in collectives, us"},
        {"+- us",
         "half-width of the 95 % interval of the waiting; it contains the error of the clocks' comparison"}}},
      {"the kernels on the critical path (-v)",
       {{"critical path", "rank"},
        {"launches", "number of launches on the path in one iteration"},
        {"us", "their time on the path in one iteration"},
        {"kernel", "name of the kernel"}}}};
}

}  // namespace kjoule
