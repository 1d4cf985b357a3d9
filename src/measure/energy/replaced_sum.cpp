#include "measure/energy/replaced_sum.hpp"

#include <cmath>

#include "base/numbers/statistics.hpp"

namespace kjoule {

namespace {

/// Values of one group, or of all launches together: one for each block, as shares of the whole.
struct Replaced {
  std::vector<RepeatEnergy> without;  ///< the iteration in which copies replace the launches
  std::vector<RepeatEnergy> copies;   ///< energy and time that copies add to the whole
  std::vector<double> for_clocks;     ///< correction of the energy of `without` for its clock
};

/// Returns the mean energy and time of readings of one work, minus restoring memory, as shares of the whole.
RepeatEnergy share_of(const std::vector<RepeatEnergy>& repeats, const RepeatEnergy& restoring,
                      const RepeatEnergy& whole) {
  const RepeatEnergy mean = mean_repeat(repeats);
  return {(mean.joules - restoring.joules) / whole.joules,
          (mean.seconds - restoring.seconds) / whole.seconds};
}

void add(const CompleteBlock& block, const RepeatEnergy& whole, const RepeatEnergy& restoring, Replaced& to) {
  to.without.push_back(share_of(block.without, restoring, whole));
  const RepeatEnergy with = share_of(block.with, restoring, whole);
  to.copies.push_back({with.joules - 1, with.seconds - 1});
  to.for_clocks.push_back(block.without_for_clocks_j / whole.joules);
}

/// Returns the variance that the wholes cause in the mean energy of `without`, if each reading of the whole
/// has a variance of 1. Each block is divided by the mean of two such readings.
double variance_of_wholes(const Replaced& replaced) {
  const double joules = mean_repeat(replaced.without).joules;
  return joules * joules / (2 * static_cast<double>(replaced.without.size()));
}

}  // namespace

std::optional<ReplacedSum> replaced_sum(const std::vector<CompleteBlock>& blocks,
                                        const std::vector<RepeatEnergy>& wholes,
                                        const RepeatEnergy& restoring, size_t groups) {
  std::vector<Replaced> replaced(groups + 1);
  for (size_t b = 0; b < blocks.size(); ++b)
    add(blocks[b], wholes[b], restoring, replaced.at(static_cast<size_t>(blocks[b].group)));
  for (const Replaced& one : replaced)
    if (groups < 2 || one.without.empty()) return {};
  const Replaced& all = replaced.back();
  const RepeatEnergy all_copies = mean_repeat(all.copies);
  ReplacedSum found{
      mean_repeat(all.without), std::abs(mean(all.for_clocks)), {-all_copies.joules, -all_copies.seconds}};
  double variance = variance_of_wholes(all), groups_for_clocks = 0;
  for (size_t g = 0; g < groups; ++g) {
    const RepeatEnergy without = mean_repeat(replaced[g].without), copies = mean_repeat(replaced[g].copies);
    found.sum.joules += 1 - without.joules;
    found.sum.seconds += 1 - without.seconds;
    groups_for_clocks += mean(replaced[g].for_clocks);
    found.displaced.joules += copies.joules;
    found.displaced.seconds += copies.seconds;
    variance += variance_of_wholes(replaced[g]);
  }
  found.for_clocks += std::abs(groups_for_clocks);
  found.error_of_wholes = std::sqrt(variance);
  return found;
}

}  // namespace kjoule
