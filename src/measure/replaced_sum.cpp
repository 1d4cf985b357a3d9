#include "measure/replaced_sum.hpp"

#include <cmath>

#include "base/statistics.hpp"

namespace kjoule {

namespace {

/// Means of a group's blocks, or of those of all launches together, as shares of the whole.
struct Replaced {
  std::vector<double> joules, seconds;     ///< of the iteration in which copies replace the launches
  std::vector<double> copies_j, copies_s;  ///< what copies add to the whole
  std::vector<double> for_clocks;          ///< what `joules` owes to other clocks
};

void add(const CompleteBlock& block, double whole_j, double whole_s, const RepeatEnergy& restoring,
         Replaced& to) {
  const auto mean_of_repeats = [](const std::vector<RepeatEnergy>& repeats, RepeatValue value) {
    return mean(values(repeats, value));
  };
  to.joules.push_back((mean_of_repeats(block.without, &RepeatEnergy::joules) - restoring.joules) / whole_j);
  to.seconds.push_back((mean_of_repeats(block.without, &RepeatEnergy::seconds) - restoring.seconds) /
                       whole_s);
  to.copies_j.push_back((mean_of_repeats(block.with, &RepeatEnergy::joules) - restoring.joules) / whole_j -
                        1);
  to.copies_s.push_back((mean_of_repeats(block.with, &RepeatEnergy::seconds) - restoring.seconds) / whole_s -
                        1);
  to.for_clocks.push_back(block.without_for_clocks_j / whole_j);
}

/// Returns the variance of the mean of `joules` where each reading of the whole has a variance of 1: a block
/// is divided by the mean of two.
double variance_of_wholes(const Replaced& replaced) {
  const double joules = mean(replaced.joules);
  return joules * joules / (2 * static_cast<double>(replaced.joules.size()));
}

}  // namespace

std::optional<ReplacedSum> replaced_sum(const std::vector<CompleteBlock>& blocks, const WholesAround& wholes,
                                        const RepeatEnergy& restoring, size_t groups) {
  std::vector<Replaced> replaced(groups + 1);
  for (size_t b = 0; b < blocks.size(); ++b)
    add(blocks[b], wholes.joules[b], wholes.seconds[b], restoring,
        replaced.at(static_cast<size_t>(blocks[b].group)));
  for (const Replaced& one : replaced)
    if (groups < 2 || one.joules.empty()) return {};
  const Replaced& all = replaced.back();
  ReplacedSum sum{
      mean(all.seconds), mean(all.joules), mean(all.for_clocks), {-mean(all.copies_j), -mean(all.copies_s)}};
  double variance = variance_of_wholes(all);
  for (size_t g = 0; g < groups; ++g) {
    sum.seconds += 1 - mean(replaced[g].seconds);
    sum.joules += 1 - mean(replaced[g].joules);
    sum.for_clocks -= mean(replaced[g].for_clocks);
    sum.displaced.joules += mean(replaced[g].copies_j);
    sum.displaced.seconds += mean(replaced[g].copies_s);
    variance += variance_of_wholes(replaced[g]);
  }
  sum.error_of_wholes = std::sqrt(variance);
  return sum;
}

}  // namespace kjoule
