#include "compare/iteration/energy_of_ranks.hpp"

namespace kjoule {

namespace {

void add(const Interval& part, Interval& sum) {
  sum.value += part.value;
  sum.half_width += part.half_width;
}

/// Adds the energy of a further rank.
void add(const EnergyResult& rank, EnergyResult& all) {
  const EnergyEstimate& its = rank.estimate;
  add(its.whole_j, all.estimate.whole_j);
  add(its.whole_w, all.estimate.whole_w);
  add(its.sum_j, all.estimate.sum_j);
  add(its.sum_w, all.estimate.sum_w);
  if (all.whole && rank.whole) {
    add(rank.whole->joules, all.whole->joules);
    add(rank.whole->watts, all.whole->watts);
  }
  if (all.idle_w) all.idle_w = rank.idle_w ? std::optional(*all.idle_w + *rank.idle_w) : std::nullopt;
}

}  // namespace

bool is_of_machine(const EnergyResult& energy) {
  return !energy.meters.empty() && energy.meters.front().facts.value("scope", "") != "GPU";
}

std::optional<EnergyResult> energy_of_all(const std::vector<RankResult>& ranks) {
  if (ranks.empty() || !ranks.front().energy) return {};
  EnergyResult all = *ranks.front().energy;
  all.own_j = all.own_w = {};
  if (is_of_machine(all)) return all;
  for (const RankResult& rank : ranks)
    if (!rank.energy || (!rank.energy->missing.empty() && !rank.energy->whole)) {
      EnergyResult none;
      none.missing = rank.energy ? rank.energy->missing : "the energy of " + rank.rank + " was not measured";
      return none;
    }
  for (size_t rank = 1; rank < ranks.size(); ++rank) add(*ranks[rank].energy, all);
  return all;
}

}  // namespace kjoule
