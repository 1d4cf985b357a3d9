#include "measure/energy_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/statistics.hpp"
#include "measure/complete_block.hpp"

namespace kjoule {

namespace {

/// Returns energy or time of one iteration of the whole for each block, without restoring memory.
std::vector<double> wholes(const std::vector<CompleteBlock>& blocks, RepeatEnergy CompleteBlock::*which,
                           const EnergyPlan& plan, const RepeatEnergy& restoring, RepeatValue value) {
  std::vector<double> all;
  for (const CompleteBlock& block : blocks)
    all.push_back((block.*which.*value - restoring.*value) / plan.iterations);
  return all;
}

/// Returns the variance of the energy's difference, from the scatter of readings of the same work.
double variance_of_difference(const CompleteBlock& block, double whole_j) {
  const double with = standard_error(values(block.with, &RepeatEnergy::joules));
  const double without = standard_error(values(block.without, &RepeatEnergy::joules));
  return (with * with + without * without) / (whole_j * whole_j);
}

/// Differences that the blocks of one group found.
struct Found {
  std::vector<double> joules, seconds;  ///< shares of the whole, one value per block
};

/// Differences of all groups, and their pooled variance.
struct AllFound {
  std::vector<Found> groups;
  /// Variance of one block's share of energy, pooled because the noise is that of the same readings.
  double variance = 0;
  double degrees = 0;  ///< degrees of freedom of the variance
};

AllFound found_in(const std::vector<CompleteBlock>& blocks, const std::vector<double>& whole_j,
                  const std::vector<double>& whole_s, size_t groups) {
  AllFound all{std::vector<Found>(groups)};
  std::vector<double> variances;
  for (size_t b = 0; b < blocks.size(); ++b) {
    Found& found = all.groups.at(static_cast<size_t>(blocks[b].group));
    found.joules.push_back(blocks[b].difference(&RepeatEnergy::joules) / whole_j[b]);
    found.seconds.push_back(blocks[b].difference(&RepeatEnergy::seconds) / whole_s[b]);
    variances.push_back(variance_of_difference(blocks[b], whole_j[b]));
  }
  if (variances.empty()) return all;
  all.variance = mean(variances);
  all.degrees = 2 * static_cast<double>(variances.size());
  return all;
}

/// Energies of the groups and of their sum, as shares of the whole.
struct Shares {
  struct Share {
    double joules = 0;
    double half_width = 0;
  };
  std::vector<Share> groups;
  Share sum;
  double added = 0;  ///< time that the groups add to the iterations, as a share of the whole
};

/// Share of the time in context: smaller differences are noise.
constexpr double kNoiseOfTime = 0.01;
/// A group whose measured time is shorter than this share of its time in context has no usable power.
constexpr double kLeastOfTime = 0.3;
/// Uncertainty of what other clocks than the whole's drew, as a share of it.
constexpr double kUnsureOfClocks = 1.5;
/// Uncertainty of the energy of missing time, as a share of it. With it, the intervals of 43 of 45 earlier
/// runs on H200s contain their sums (bench/energy_again).
constexpr double kUnsureOfLacking = 0.7;
/// Error of the method when no other error is visible, as a share of the whole. Simulated programs have half
/// of it, H200s more.
constexpr double kOfMethod = 0.01;
/// The same of one group, as a share of its own energy: with it, the intervals contain 95 % of the groups of
/// 160 simulated programs (bench/simulated_energy).
constexpr double kOfMethodOfGroup = 0.03;

/// Returns the difference between measured time and time in context that counts as real, as a share of the
/// whole.
double odd_time(double seconds, double in_context) {
  const double apart = seconds - in_context, noise = kNoiseOfTime * in_context;
  return apart * apart * apart / (apart * apart + noise * noise);
}

/// Returns the energy of the time that differs, as a share of the whole; `pause` is the power in pauses
/// divided by the whole's power. Additional time is mostly waiting for the next launch, so it is counted at
/// the power of pauses, but it may draw as much as the whole does. Missing time is work: moving data that
/// other launches write.
Interval odd_energy(double odd_s, double pause) {
  if (odd_s < 0) return {odd_s, kUnsureOfLacking * -odd_s};
  return {pause * odd_s, (1 - pause) * odd_s};
}

/// Returns the uncertainty of a group's energy because of the time that differs, as a share of the whole;
/// `power` is the group's, divided by the whole's. The group's energy is scaled to its time in context, as if
/// it drew this power in the time that it adds. It may draw the power of pauses instead.
double unsure_of_odd(double odd_s, double power, double pause) {
  return odd_s < 0 ? -odd_s : std::abs(power - pause) * odd_s;
}

/// Mean differences of one group, or of all groups together, as shares of the whole.
struct Means {
  double joules = 0, seconds = 0;
  double variance = 0;  ///< variance of `joules`

  void add(const Means& other) {
    joules += other.joules;
    seconds += other.seconds;
    variance += other.variance;
  }
};

Means means_of(const Found& found, const AllFound& all) {
  const auto blocks = static_cast<double>(found.joules.size());
  return {mean(found.joules), mean(found.seconds), all.variance / blocks};
}

/// Returns the shares of all groups; nothing if a group has no block. An iteration that lacks launches
/// changes the other launches, and these changes enter the differences of energy and of time alike; they are
/// subtracted from the sum. Each group's share of the sum follows from its own power.
std::optional<Shares> shares_of(const AllFound& all, const std::vector<double>& in_context, double pause) {
  std::vector<Means> groups;
  Means sum;
  double context = 0;
  for (size_t g = 0; g < in_context.size(); ++g) {
    if (all.groups[g].joules.empty()) return {};
    groups.push_back(means_of(all.groups[g], all));
    sum.add(groups.back());
    context += in_context[g];
  }
  if (!(sum.seconds > 0)) return {};
  const double t = student_t95(all.degrees);
  const Interval odd = odd_energy(odd_time(sum.seconds, context), pause);
  Shares shares;
  shares.added = sum.seconds;
  shares.sum = {sum.joules - odd.value, std::hypot(t * std::sqrt(sum.variance), odd.half_width)};
  double parts = 0;
  for (size_t g = 0; g < groups.size(); ++g) {
    const bool tells = groups[g].seconds > kLeastOfTime * in_context[g];
    const double scale = tells ? in_context[g] / groups[g].seconds : 1;
    const double share = scale * groups[g].joules;
    shares.groups.push_back({share, std::hypot(t * std::sqrt(groups[g].variance),
                                               unsure_of_odd(odd_time(groups[g].seconds, in_context[g]),
                                                             share / in_context[g], pause))});
    parts += shares.groups.back().joules;
  }
  for (Shares::Share& group : shares.groups) group.joules *= shares.sum.joules / parts;
  return shares;
}

/// Weight of the variance of all groups, in blocks, next to the group's own blocks.
constexpr double kBlocksOfAll = 2;

/// Returns the standard error of a mean of successive readings of the same work, from the usual difference
/// between two of them. Steady warming and a single change of state do not count as noise. The median
/// absolute difference of two normal numbers is 0.954 of their standard deviation.
double noise_of_mean(const std::vector<double>& readings) {
  if (readings.size() < 2) return 0;
  std::vector<double> steps;
  for (size_t i = 1; i < readings.size(); ++i) steps.push_back(std::abs(readings[i] - readings[i - 1]));
  return median(steps) / 0.954 / std::sqrt(static_cast<double>(readings.size()));
}

/// Returns the uncertainty, J, of each group's energy because of clocks other than the whole's. Energy that
/// does not follow the clock at all, or with its square, is in the interval.
std::vector<double> unsure_of_clocks(const std::vector<CompleteBlock>& blocks, size_t groups) {
  std::vector<std::vector<double>> all(groups);
  for (const CompleteBlock& block : blocks)
    all.at(static_cast<size_t>(block.group)).push_back(block.for_clocks_j);
  std::vector<double> unsure_j;
  for (const auto& group : all) unsure_j.push_back(group.empty() ? 0 : kUnsureOfClocks * mean(group));
  return unsure_j;
}

void add_states(const std::vector<EnergyBlock>& blocks, EnergyEstimate& result) {
  std::vector<double> whole_hz, group_hz, degrees_c;
  const auto note = [&](const SteadyReading& reading, std::vector<double>& clocks) {
    if (reading.clock_hz) clocks.push_back(*reading.clock_hz);
    if (reading.temperature_c) degrees_c.push_back(*reading.temperature_c);
  };
  for (const EnergyBlock& block : blocks) {
    note(block.whole, whole_hz);
    for (const SteadyReading& reading : block.with) note(reading, group_hz);
    for (const SteadyReading& reading : block.without) note(reading, group_hz);
  }
  if (!whole_hz.empty()) result.whole_clock_hz = mean(whole_hz);
  if (!group_hz.empty()) result.group_clock_hz = mean(group_hz);
  if (degrees_c.empty()) return;
  result.coldest_c = *std::min_element(degrees_c.begin(), degrees_c.end());
  result.warmest_c = *std::max_element(degrees_c.begin(), degrees_c.end());
}

}  // namespace

int next_to_measure(const EnergyPlan& plan, const std::vector<EnergyBlock>& blocks) {
  const size_t number = blocks.size();
  if (number < plan.groups.size()) return static_cast<int>(number);
  std::vector<double> variances(plan.groups.size()), counts(plan.groups.size());
  double pooled = 0;
  for (const CompleteBlock& block : complete_blocks(blocks, {0, 0})) {
    const double variance = variance_of_difference(block, block.whole.joules);
    variances.at(static_cast<size_t>(block.group)) += variance;
    counts.at(static_cast<size_t>(block.group)) += 1;
    pooled += variance / static_cast<double>(number);
  }
  // The variance of few blocks is uncertain, so each group's variance is averaged with that of all groups.
  size_t next = 0;
  double most = -1;
  for (size_t g = 0; g < variances.size(); ++g) {
    const double its = (variances[g] + kBlocksOfAll * pooled) / (counts[g] + kBlocksOfAll);
    const double gain = its / std::max(counts[g], 0.5) - its / (counts[g] + 1);
    if (gain > most) {
      most = gain;
      next = g;
    }
  }
  return static_cast<int>(next);
}

std::optional<EnergyEstimate> estimate_energy(const EnergyPlan& plan, const std::vector<EnergyBlock>& blocks,
                                              size_t meter) {
  const auto back = mean_of(plan.restoring, meter);
  if (!back) return {};
  const auto used = used_meter(plan, *back, meter);
  if (!used) return {};
  const std::vector<CompleteBlock> complete = complete_blocks(blocks, *used);
  EnergyEstimate result;
  result.restore_j = back->joules;
  result.restore_s = back->seconds;
  const auto whole_j = wholes(complete, &CompleteBlock::whole, plan, *back, &RepeatEnergy::joules);
  const auto whole_s = wholes(complete, &CompleteBlock::whole, plan, *back, &RepeatEnergy::seconds);
  const AllFound all = found_in(
      complete, wholes(complete, &CompleteBlock::around, plan, *back, &RepeatEnergy::joules),
      wholes(complete, &CompleteBlock::around, plan, *back, &RepeatEnergy::seconds), plan.groups.size());
  std::vector<double> in_context;
  for (const EnergyGroup& group : plan.groups) in_context.push_back(group.time_s / plan.iteration_s);
  result.whole_j = mean_interval(whole_j);
  result.whole_s = mean_interval(whole_s);
  const double watts = result.whole_j.value / result.whole_s.value;
  const auto shares = shares_of(all, in_context, std::clamp(used->pause_w / watts, 0.0, 1.0));
  if (!shares) return {};

  result.whole_w = {watts, watts * result.whole_j.half_width / result.whole_j.value};
  const double whole_noise = student_t95(all.degrees) * noise_of_mean(whole_j);
  const std::vector<double> clocks_j = unsure_of_clocks(complete, plan.groups.size());
  const auto joules = [&](const Shares::Share& share, double for_clocks_j, double of_method) {
    const double known = std::hypot(share.half_width, of_method) * result.whole_j.value;
    return Interval{share.joules * result.whole_j.value,
                    std::hypot(known, share.joules * whole_noise, for_clocks_j)};
  };
  result.sum_j = joules(shares->sum, std::accumulate(clocks_j.begin(), clocks_j.end(), 0.0), kOfMethod);
  for (size_t g = 0; g < in_context.size(); ++g) {
    const double seconds = in_context[g] * result.whole_s.value;
    result.sum_s += seconds;
    const Shares::Share& share = shares->groups[g];
    result.groups.push_back({joules(share, clocks_j[g], kOfMethodOfGroup * share.joules), seconds,
                             static_cast<int>(all.groups[g].joules.size())});
  }
  result.added_s = shares->added * result.whole_s.value;
  result.sum_w = {result.sum_j.value / result.sum_s, result.sum_j.half_width / result.sum_s};
  add_states(blocks, result);
  return result;
}

}  // namespace kjoule
