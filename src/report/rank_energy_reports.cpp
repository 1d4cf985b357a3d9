#include "report/rank_energy_reports.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/text/signed_text.hpp"
#include "compare/iteration/energy_of_ranks.hpp"
#include "compare/judgement/judge.hpp"
#include "report/interval_json.hpp"
#include "report/rank_reports.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kMilli = 1e3;

/// Returns the energy of the whole, whether or not that of the sum was measured.
WholeEnergy whole_of(const EnergyResult& energy) {
  const EnergyEstimate& its = energy.estimate;
  return energy.whole.value_or(WholeEnergy{its.whole_j, its.whole_s, its.whole_w});
}

/// Returns the cell of a half-width; "-" if it is not known.
std::string unless_infinite(double half_width, const char* format) {
  return std::isfinite(half_width) ? fmt::format(fmt::runtime(format), half_width) : "-";
}

std::string line(const std::string& label, const EnergyResult& energy) {
  const WholeEnergy whole = whole_of(energy);
  std::string text =
      fmt::format("  {:<14}{:>10.2f}{:>8}{:>6.0f}", label, kMilli * whole.joules.value,
                  unless_infinite(kMilli * whole.joules.half_width, "{:.2g}"), whole.watts.value);
  if (energy.whole) return text + fmt::format("{:>10}{:>8}{:>6}\n", "-", "-", "-");
  return text + fmt::format("{:>10.2f}{:>8}{:>6}  {}\n", kMilli * energy.estimate.sum_j.value,
                            signed_text(100 * energy.error(), 2),
                            unless_infinite(100 * energy.estimate.relative_half_width(), "{:.2f}"),
                            to_string(judge_energy(energy).verdict));
}

}  // namespace

namespace {

std::string energies_text(const std::vector<RankResult>& ranks, bool list_ranks) {
  const auto all = energy_of_all(ranks);
  if (!all) return {};
  if (!all->missing.empty() && !all->whole) return "\n" + wrapped("  energy: not measured: ", all->missing);
  std::string text = fmt::format("\n  {:<14}{:>10}{:>8}{:>6}{:>10}{:>8}{:>6}  {}\n", "ranks' energy",
                                 "whole mJ", "+- mJ", "W", "sum mJ", "error %", "+- %", "verdict");
  if (list_ranks && !is_of_machine(*all))
    for (const RankResult& rank : ranks) text += line(rank.rank, *rank.energy);
  text += line("all ranks", *all);
  text += wrapped("  ", fmt::format("by {}{}", all->meters.front().facts.value("source", "a meter"),
                                    is_of_machine(*all) ? ", which measures the whole machine" : ""));
  return all->whole ? text + wrapped("  sum: not measured: ", all->missing) : text;
}

}  // namespace

std::string rank_energies_text(const std::vector<RankResult>& ranks) {
  return energies_text(ranks, true);
}

std::string rank_energies_screen(const std::vector<RankResult>& ranks) {
  return energies_text(ranks, ranks.size() <= kMostListedRanks);
}

Json rank_energy_json(const std::optional<EnergyResult>& energy) {
  if (!energy) return nullptr;
  if (!energy->missing.empty() && !energy->whole) return {{"missing", energy->missing}};
  const WholeEnergy whole = whole_of(*energy);
  Json json{
      {"source", energy->meters.front().facts.value("source", "")}, {"whole_joules", whole.joules.value},
      {"whole_interval_joules", interval_json(whole.joules)},       {"whole_watts", whole.watts.value},
      {"whole_interval_watts", interval_json(whole.watts)},         {"whole_us", 1e6 * whole.seconds.value}};
  if (energy->whole) {
    for (const char* key : {"sum_joules", "sum_interval_joules", "half_width_percent", "error_percent",
                            "within_percent", "verdict"})
      json[key] = nullptr;
    json["verdict_reason"] = energy->missing;
    return json;
  }
  const EnergyEstimate& its = energy->estimate;
  const Judgement verdict = judge_energy(*energy);
  json["sum_joules"] = its.sum_j.value;
  json["sum_interval_joules"] = interval_json(its.sum_j);
  json["half_width_percent"] = 100 * its.relative_half_width();
  json["error_percent"] = 100 * energy->error();
  json["within_percent"] = 100 * verdict.within;
  json["verdict"] = to_string(verdict.verdict);
  json["verdict_reason"] = verdict.reason;
  return json;
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
       {"sum mJ",
        "energy of the iteration as the sum of its kernels, collectives included; - if the ranks launch "
        "different kernels"},
       {"error %", "difference between sum and whole"},
       {"+- %", "half-width of the 95 % interval of the sum"},
       {"verdict", "adds up, does not add up or inconclusive: whether they agree within --energy-within"}}};
}

}  // namespace kjoule
