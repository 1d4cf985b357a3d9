#include "report/rank_energy_reports.hpp"

#include <fmt/format.h>

#include "base/text/signed_text.hpp"
#include "compare/iteration/energy_of_ranks.hpp"
#include "compare/judgement/judge.hpp"
#include "report/interval_json.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kMilli = 1e3;

std::string line(const std::string& label, const EnergyResult& energy) {
  const EnergyEstimate& its = energy.estimate;
  return fmt::format("  {:<14}{:>10.2f}{:>8.2g}{:>6.0f}{:>10.2f}{:>8}{:>6.2f}  {}\n", label,
                     kMilli * its.whole_j.value, kMilli * its.whole_j.half_width, its.whole_w.value,
                     kMilli * its.sum_j.value, signed_text(100 * energy.error(), 2),
                     100 * its.relative_half_width(), to_string(judge_energy(energy).verdict));
}

}  // namespace

std::string rank_energies_text(const std::vector<RankResult>& ranks) {
  const auto all = energy_of_all(ranks);
  if (!all) return {};
  if (!all->missing.empty()) return "\n" + wrapped("  energy: not measured: ", all->missing);
  std::string text = fmt::format("\n  {:<14}{:>10}{:>8}{:>6}{:>10}{:>8}{:>6}  {}\n", "ranks' energy",
                                 "whole mJ", "+- mJ", "W", "sum mJ", "error %", "+- %", "verdict");
  if (!is_of_machine(*all))
    for (const RankResult& rank : ranks) text += line(rank.rank, *rank.energy);
  text += line("all ranks", *all);
  return text + wrapped("  ", fmt::format("by {}{}", all->meters.front().facts.value("source", "a meter"),
                                          is_of_machine(*all) ? ", which measures the whole machine" : ""));
}

Json rank_energy_json(const std::optional<EnergyResult>& energy) {
  if (!energy) return nullptr;
  if (!energy->missing.empty()) return {{"missing", energy->missing}};
  const EnergyEstimate& its = energy->estimate;
  const Judgement verdict = judge_energy(*energy);
  return {{"source", energy->meters.front().facts.value("source", "")},
          {"whole_joules", its.whole_j.value},
          {"whole_interval_joules", interval_json(its.whole_j)},
          {"whole_watts", its.whole_w.value},
          {"whole_interval_watts", interval_json(its.whole_w)},
          {"whole_us", 1e6 * its.whole_s.value},
          {"sum_joules", its.sum_j.value},
          {"sum_interval_joules", interval_json(its.sum_j)},
          {"half_width_percent", 100 * its.relative_half_width()},
          {"error_percent", 100 * energy->error()},
          {"within_percent", 100 * verdict.within},
          {"verdict", to_string(verdict.verdict)},
          {"verdict_reason", verdict.reason}};
}

Json energy_of_ranks_json(const std::vector<RankResult>& ranks) {
  return rank_energy_json(energy_of_all(ranks));
}

TableColumns rank_energy_columns() {
  return {
      "the energies of the ranks of a program, which were read at the same times",
      {{"ranks' energy", "rank, or all ranks together; a meter of the whole machine has no single ranks"},
       {"whole mJ", "energy of the rank's iteration, replayed without gaps; it includes waiting"},
       {"+- mJ", "half-width of its 95 % interval; those of the ranks are added"},
       {"W", "mean power of the rank's iteration"},
       {"sum mJ", "energy of the iteration as the sum of its kernels, collectives included"},
       {"error %", "difference between sum and whole"},
       {"+- %", "half-width of the 95 % interval of the sum"},
       {"verdict", "adds up, does not add up or inconclusive: whether they agree within --energy-within"}}};
}

}  // namespace kjoule
