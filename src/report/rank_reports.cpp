#include "report/rank_reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/signed_text.hpp"
#include "compare/iteration/energy_of_ranks.hpp"
#include "compare/iteration/rank_group_result.hpp"
#include "report/microseconds.hpp"
#include "report/rank_energy_reports.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

std::string rank_line(const RankResult& rank) {
  return fmt::format("  {:<16}{:>10}{:>12.1f}{:>12.1f}{:>9}{:>7.2f}  {}\n", rank.rank,
                     rank.recording.launches.size(), us(rank.whole_s.value), us(rank.sum_s.value),
                     signed_text(100 * rank.error(), 2), 100 * rank.sum_s.half_width / rank.whole_s.value,
                     to_string(rank.judgement.verdict));
}

/// Returns the lines of the slowest, the fastest and the least certain rank, and how many others there are.
std::string extreme_ranks(const std::vector<RankResult>& ranks) {
  const auto whole_s = [](const RankResult& rank) { return rank.whole_s.value; };
  const std::array extreme{&slowest_rank(ranks), &*std::ranges::min_element(ranks, {}, whole_s),
                           &least_certain_rank(ranks)};
  std::string text;
  size_t others = 0;
  for (const RankResult& rank : ranks)
    if (std::ranges::find(extreme, &rank) != extreme.end())
      text += rank_line(rank);
    else
      ++others;
  return text +
         fmt::format("  {} other ranks: none is slower, faster or less certain; -v lists all\n", others);
}

std::string ranks_header() {
  return fmt::format("\n  {:<16}{:>10}{:>12}{:>12}{:>9}{:>7}  {}\n", "ranks, in step", "launches", "whole us",
                     "sum us", "error %", "+- %", "verdict");
}

}  // namespace

std::string ranks_text(const std::vector<RankResult>& ranks) {
  if (ranks.empty()) return {};
  std::string text = ranks_header();
  for (const RankResult& rank : ranks) text += rank_line(rank);
  return text;
}

std::string ranks_screen(const std::vector<RankResult>& ranks) {
  return ranks.size() <= kMostListedRanks ? ranks_text(ranks) : ranks_header() + extreme_ranks(ranks);
}

std::string group_text(const std::vector<RankResult>& ranks) {
  const RankResult& slowest = slowest_rank(ranks);
  return wrapped(
      "  group of ranks: ",
      fmt::format("whole {:.1f} us, sum {:.1f} +- {:.2g} us, on {}, the slowest", us(slowest.whole_s.value),
                  us(slowest.sum_s.value), us(slowest.sum_s.half_width), slowest.rank));
}

nlohmann::ordered_json group_json(const std::vector<RankResult>& ranks) {
  const RankResult& slowest = slowest_rank(ranks);
  const RankResult& least_certain = least_certain_rank(ranks);
  return {{"slowest_rank", slowest.rank},      {"whole_us", us(slowest.whole_s.value)},
          {"sum_us", us(slowest.sum_s.value)}, {"sum_half_width_us", us(slowest.sum_s.half_width)},
          {"verdict_of", least_certain.rank},  {"verdict", to_string(least_certain.judgement.verdict)}};
}

namespace {

/// Returns the energy of a single rank.
std::optional<EnergyResult> own_energy(const RankResult& rank) {
  return rank.energy && is_of_machine(*rank.energy) ? std::nullopt : rank.energy;
}

}  // namespace

nlohmann::ordered_json ranks_json(const std::vector<RankResult>& ranks) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const RankResult& rank : ranks)
    json.push_back({{"rank", rank.rank},
                    {"gpu", rank.gpu},
                    {"gpu_uuid", rank.uuid},
                    {"results", rank.folder},
                    {"launches", rank.recording.launches.size()},
                    {"whole_us", us(rank.whole_s.value)},
                    {"sum_us", us(rank.sum_s.value)},
                    {"sum_half_width_percent", 100 * rank.sum_s.half_width / rank.whole_s.value},
                    {"sum_error_percent", 100 * rank.error()},
                    {"within_percent", 100 * rank.judgement.within},
                    {"verdict", to_string(rank.judgement.verdict)},
                    {"energy", rank_energy_json(own_energy(rank))}});
  return json;
}

TableColumns rank_columns() {
  return {
      "the ranks of a program, which were replayed together",
      {{"ranks, in step", "rank, or process id if the launcher does not state the rank"},
       {"launches", "number of launches in the rank's iteration"},
       {"whole us",
        "time of the rank's iteration, replayed without gaps; it includes waiting for other ranks"},
       {"sum us", "time of the iteration as the sum of its kernels"},
       {"error %", "difference between sum and whole"},
       {"+- %", "half-width of the 95 % interval of the sum"},
       {"verdict", "adds up, does not add up or inconclusive: whether sum and whole agree within --within"}}};
}

}  // namespace kjoule
