#include "report/collective_reports.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/interval_json.hpp"
#include "report/microseconds.hpp"
#include "report/shortened.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kGiga = 1e-9, kMicro = 1e6;
/// The most kinds of collectives on the first screen.
constexpr size_t kMostListedKinds = 6;

std::string optional_text(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

/// Returns an operation without NCCL's prefix, shortened to its column.
std::string shown_operation(const std::string& operation) {
  constexpr size_t kWidth = 13;
  return shortened(operation.substr(operation.starts_with("nccl") ? 4 : 0), kWidth);
}

/// Returns the lines of a kind: one for each of its ranks, the first one with what they share.
std::string kind_text(const CollectiveResult& kind, const std::vector<RankResult>& ranks) {
  const auto moving = kind.moving_s();
  const auto bus = kind.bus_bandwidth();
  std::string text;
  for (size_t i = 0; i < kind.ranks.size(); ++i) {
    const CollectiveOnRank& rank = kind.ranks[i];
    const auto waiting = rank.waiting_s;
    text +=
        fmt::format("  {:<13}{:>6}{:>10}{:>10}{:>7}  {:<9}{:>7.1f}{:>8}{:>6}\n",
                    i > 0 ? "" : shown_operation(kind.operation), i > 0 ? "" : fmt::format("{}", kind.count),
                    i > 0 || kind.bytes == 0 ? "" : fmt::format("{}", kind.bytes),
                    i > 0 ? "" : optional_text(moving ? std::optional(us(moving->value)) : std::nullopt, 2),
                    i > 0 ? "" : optional_text(bus ? std::optional(kGiga * *bus) : std::nullopt, 2),
                    ranks.at(kind.of_ranks[i]).rank, us(rank.time_s),
                    optional_text(waiting ? std::optional(us(waiting->value)) : std::nullopt, 1),
                    optional_text(waiting ? std::optional(us(waiting->half_width)) : std::nullopt, 1));
  }
  return text;
}

/// Returns the largest of the values that are known; nothing if none is.
template <class Values, class Get>
std::optional<Interval> largest(const Values& values, const Get& get) {
  std::optional<Interval> largest;
  for (const auto& value : values)
    if (const std::optional<Interval>& one = get(value); one && (!largest || one->value > largest->value))
      largest = one;
  return largest;
}

/// Returns the waiting in the collectives of a kind in the program, on the rank that waits longest.
std::optional<Interval> own_waiting(const CollectiveResult& kind,
                                    const std::optional<WatchedRanks>& watched) {
  if (!watched) return {};
  for (const CollectiveWaiting& own : watched->collectives)
    if (own.operation == kind.operation && own.communicator == communicator_text(kind.communicator) &&
        own.bytes == kind.message_bytes)
      return largest(own.waiting_s, [](const auto& waiting) { return waiting; });
  return {};
}

std::string optional_us_text(const std::optional<Interval>& interval) {
  return optional_text(interval ? std::optional(us(interval->value)) : std::nullopt, 1);
}

/// Returns the line of a kind on the first screen.
std::string kind_line(const CollectiveResult& kind, const std::optional<WatchedRanks>& watched) {
  const auto moving = kind.moving_s();
  const auto bus = kind.bus_bandwidth();
  const auto waiting = largest(kind.ranks, [](const CollectiveOnRank& rank) { return rank.waiting_s; });
  double all_s = 0;
  for (const CollectiveOnRank& rank : kind.ranks) all_s += rank.time_s;
  return fmt::format("  {:<13}{:>6}{:>10}{:>10}{:>7}{:>9.1f}{:>9}{:>6}{:>8}\n",
                     shown_operation(kind.operation), kind.count,
                     kind.bytes > 0 ? fmt::format("{}", kind.bytes) : "",
                     optional_text(moving ? std::optional(us(moving->value)) : std::nullopt, 2),
                     optional_text(bus ? std::optional(kGiga * *bus) : std::nullopt, 2),
                     us(all_s / static_cast<double>(kind.ranks.size())), optional_us_text(waiting),
                     optional_text(waiting ? std::optional(us(waiting->half_width)) : std::nullopt, 1),
                     optional_us_text(own_waiting(kind, watched)));
}

std::string missing_text(const Comparison& comparison) {
  return wrapped("\n  collectives: ", "not timed, because " + comparison.collectives_missing);
}

}  // namespace

std::string collectives_screen(const Comparison& comparison) {
  if (!comparison.collectives_missing.empty()) return missing_text(comparison);
  if (comparison.collectives.empty()) return {};
  std::string text =
      fmt::format("\n  {:<13}{:>6}{:>10}{:>10}{:>7}{:>9}{:>9}{:>6}{:>8}\n", "collectives", "count", "bytes",
                  "moving us", "GB/s", "all us", "waits us", "+- us", "own us");
  const size_t kinds = comparison.collectives.size();
  for (size_t i = 0; i < std::min(kinds, kMostListedKinds); ++i)
    text += kind_line(comparison.collectives[i], comparison.watched);
  if (kinds > kMostListedKinds) text += fmt::format("  {} more: -v lists all\n", kinds - kMostListedKinds);
  return text;
}

std::string collectives_text(const Comparison& comparison) {
  if (!comparison.collectives_missing.empty()) return missing_text(comparison);
  if (comparison.collectives.empty()) return {};
  std::string text = fmt::format("\n  {:<13}{:>6}{:>10}{:>10}{:>7}  {:<9}{:>7}{:>8}{:>6}\n", "collectives",
                                 "count", "bytes", "moving us", "GB/s", "", "all us", "waiting", "+- us");
  double error_s = 0;
  for (const CollectiveResult& kind : comparison.collectives) {
    text += kind_text(kind, comparison.ranks);
    error_s = std::max(error_s, kind.clock_error_s);
  }
  if (error_s == 0) return text;
  return text +
         wrapped("  ", fmt::format("waiting for the last rank in the replay, which lacks the hosts' jitter; "
                                   "the GPUs' clocks agree within {:.2f} us",
                                   us(error_s)));
}

Json collectives_json(const Comparison& comparison) {
  Json list = Json::array();
  for (const CollectiveResult& kind : comparison.collectives) {
    Json ranks = Json::array();
    for (size_t i = 0; i < kind.ranks.size(); ++i)
      ranks.push_back({{"rank", comparison.ranks.at(kind.of_ranks[i]).rank},
                       {"total_us", us(kind.ranks[i].time_s)},
                       {"waiting_us", value_json(kind.ranks[i].waiting_s, kMicro)},
                       {"waiting_interval_us", interval_json(kind.ranks[i].waiting_s, kMicro)}});
    const auto algorithm = kind.algorithm_bandwidth(), bus = kind.bus_bandwidth();
    list.push_back({{"operation", kind.operation},
                    {"bytes", kind.bytes > 0 ? Json(kind.bytes) : Json()},
                    {"count", kind.count},
                    {"moving_us", value_json(kind.moving_s(), kMicro)},
                    {"moving_interval_us", interval_json(kind.moving_s(), kMicro)},
                    {"algorithm_bytes_per_s", algorithm ? Json(*algorithm) : Json()},
                    {"bus_bytes_per_s", bus ? Json(*bus) : Json()},
                    {"clock_error_us", kind.clock_error_s > 0 ? Json(us(kind.clock_error_s)) : Json()},
                    {"ranks", std::move(ranks)}});
  }
  return list;
}

std::vector<TableColumns> explained_collectives() {
  return {
      {"the collectives of a program's ranks",
       {{"collectives", "function of NCCL, or the kernel's name if the function is not known"},
        {"count", "number of them in one iteration"},
        {"bytes",
         "size of the data as in nccl-tests: of all-gather and reduce-scatter, that of all ranks together"},
        {"moving us", "time in which one of them moves data: the mean over the ranks of time minus waiting"},
        {"GB/s",
         "bus bandwidth by the definition of nccl-tests: bytes / moving us, times 2(n-1)/n for an "
         "all-reduce of n ranks, and times (n-1)/n for the others"},
        {"all us", "time of all of them in one iteration: the mean over the ranks"},
        {"waits us",
         "part of this time in which a rank waits for the last rank, in the replay, on the rank that waits "
         "longest; - for operations that do not synchronise all ranks"},
        {"+- us",
         "half-width of the 95 % interval of the waiting; it contains the error of the clocks' comparison"},
        {"own us", "waiting in the program's own iterations, on the rank that waits longest"}}},
      {"the collectives by rank (-v)",
       {{"all us", "time of all of them in one iteration of the rank"},
        {"waiting", "waiting of the rank in the replay, us"}}}};
}

}  // namespace kjoule
