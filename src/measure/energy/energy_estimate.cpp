#include "measure/energy/energy_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/numbers/statistics.hpp"
#include "measure/energy/complete_block.hpp"
#include "measure/energy/odd_time.hpp"
#include "measure/energy/replaced_sum.hpp"

namespace kjoule {

namespace {

/// Returns energy and time of one iteration of the whole for each block, without restoring memory.
std::vector<RepeatEnergy> wholes(const std::vector<CompleteBlock>& blocks, RepeatEnergy CompleteBlock::*which,
                                 const EnergyPlan& plan, const RepeatEnergy& restoring) {
  std::vector<RepeatEnergy> all;
  for (const CompleteBlock& block : blocks)
    all.push_back({((block.*which).joules - restoring.joules) / plan.iterations,
                   ((block.*which).seconds - restoring.seconds) / plan.iterations});
  return all;
}

/// Returns the variance of a block's difference of energies, from the scatter of readings of the same work.
double variance_of_difference(const CompleteBlock& block, double whole_j) {
  const double with = standard_error(values(block.with, &RepeatEnergy::joules));
  const double without = standard_error(values(block.without, &RepeatEnergy::joules));
  return (with * with + without * without) / (whole_j * whole_j);
}

/// The differences from the blocks of one group.
struct Found {
  std::vector<double> joules, seconds;  ///< differences as shares of the whole, one value for each block
};

/// The differences of each group and, as the last element, of all launches together; with their pooled
/// variance.
struct AllFound {
  std::vector<Found> groups;
  /// Variance of the energy of one block, as a share of the whole. It is pooled over groups, because the
  /// noise of the readings is the same for all groups.
  double variance = 0;
  double degrees = 0;  ///< degrees of freedom of the variance
};

AllFound found_in(const std::vector<CompleteBlock>& blocks, const std::vector<RepeatEnergy>& wholes,
                  size_t groups) {
  AllFound all{std::vector<Found>(groups + 1)};
  std::vector<double> variances;
  for (size_t b = 0; b < blocks.size(); ++b) {
    Found& found = all.groups.at(static_cast<size_t>(blocks[b].group));
    found.joules.push_back(blocks[b].difference(&RepeatEnergy::joules) / wholes[b].joules);
    found.seconds.push_back(blocks[b].difference(&RepeatEnergy::seconds) / wholes[b].seconds);
    variances.push_back(variance_of_difference(blocks[b], wholes[b].joules));
  }
  if (variances.empty()) return all;
  all.variance = mean(variances);
  all.degrees = 2 * static_cast<double>(variances.size());
  return all;
}

/// Energies of the groups and of their sum, as shares of the whole.
struct Shares {
  std::vector<Interval> groups;
  Interval by_differences;
  std::optional<Interval> by_replacement;
  double added = 0;    ///< time that the groups add to the iterations, as a share of the whole
  double context = 0;  ///< time of all groups in context, as a share of the whole
};

/// The power of a group is not used if its measured time is shorter than this share of its time in context.
constexpr double kLeastOfTime = 0.3;
/// Uncertainty of the correction for clocks (complete_blocks()), as a share of the correction: energy may be
/// proportional to clock^0.5 to clock^1.9 instead of clock^1.2.
constexpr double kUnsureOfClocks = 0.6;
/// Half-width that the method adds in any case, as a share of the whole. The error of simulated programs is
/// half as large, that of GPUs larger.
constexpr double kOfMethod = 0.01;
/// Half-width that the method adds to one group, or to restoring memory after a lead, as a share of its own
/// energy. With it, the intervals contain 92 % of the groups of 3,000 simulated programs
/// (bench/simulated_energy).
constexpr double kOfMethodOfGroup = 0.03;

/// Returns the uncertainty of a group's energy, as a share of the whole, because the group adds another time
/// than it takes in context (odd_time()). `power` is the group's power divided by the whole's. The energy is
/// scaled to the time in context, as if the device consumed this power in the differing time; but it may
/// consume the power of pauses.
double unsure_of_odd(double odd_s, double power, double pause) {
  return odd_s < 0 ? -odd_s : std::abs(power - pause) * odd_s;
}

/// Returns the part of the time `odd_s` that a group adds beyond its time in context, or lacks, which is
/// waiting for other ranks, at most `waiting_s`. If all ranks leave out kernels, a rank also waits less for
/// them; if they leave out the collectives, it waits in kjoule's meetings instead. Arguments and result are
/// shares of the whole.
double moved_waiting(double odd_s, double waiting_s) {
  return std::clamp(odd_s, -waiting_s, waiting_s);
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

/// Returns the shares of all groups; nothing if a group has no block. If launches are left out of an
/// iteration, the other launches change. These changes are part of the differences of energy and of time, and
/// are subtracted from the sum. Each group's share of the sum follows from its own power.
std::optional<Shares> shares_of(const AllFound& all, const std::vector<double>& times, double waiting,
                                double pause, const Interval& added) {
  Shares shares;
  std::vector<Means> groups;
  Means sum;
  for (size_t g = 0; g < times.size(); ++g) {
    if (all.groups[g].joules.empty()) return {};
    groups.push_back(means_of(all.groups[g], all));
    sum.add(groups.back());
    shares.context += times[g];
  }
  if (!(sum.seconds > 0)) return {};
  const double t = student_t95(all.degrees);
  const Interval odd = odd_energy(odd_time(sum.seconds, shares.context), added);
  shares.added = sum.seconds;
  shares.by_differences = {sum.joules - odd.value, std::hypot(t * std::sqrt(sum.variance), odd.half_width)};
  for (size_t g = 0; g < groups.size(); ++g) {
    const double moved = moved_waiting(groups[g].seconds - times[g], waiting);
    const double seconds = groups[g].seconds - moved;
    const bool is_usable = seconds > kLeastOfTime * times[g];
    const double share = (is_usable ? times[g] / seconds : 1) * (groups[g].joules - pause * moved);
    const double of_odd = unsure_of_odd(odd_time(seconds, times[g]), share / times[g], pause);
    shares.groups.push_back(
        {share, std::hypot(t * std::sqrt(groups[g].variance), of_odd) + std::abs(moved) * (1 - pause)});
  }
  return shares;
}

/// Returns the sum by replacement with its interval, as a share of the whole. `noise` is the standard error
/// of one reading of the whole. The two readings without launches follow each other directly, so they scatter
/// less than other readings; the variance of the difference also contains the scatter of the two readings
/// with launches, which do not.
Interval by_replacement(const ReplacedSum& sum, const AllFound& all, double context, const Interval& added,
                        double noise) {
  double variance = 0;
  for (const Found& found : all.groups) variance += all.variance / static_cast<double>(found.joules.size());
  const Interval odd = odd_energy(odd_time(sum.sum.seconds, context), added);
  const double scatter =
      student_t95(all.degrees) * std::hypot(std::sqrt(variance), noise * sum.error_of_wholes);
  const double by_others = std::hypot(kUnsureOfClocks * sum.for_clocks, sum.displaced.joules);
  return {sum.sum.joules - odd.value, std::hypot(scatter, odd.half_width, by_others)};
}

/// Returns the mean of two estimates of the same value, each weighted by the inverse square of its
/// half-width. The half-width of the mean has two parts: the weighted mean of both half-widths, because the
/// errors may have a common cause; and the difference between the estimates.
Interval weighted_mean(const Interval& one, const Interval& other) {
  const double one_squared = one.half_width * one.half_width;
  const double both = one_squared + other.half_width * other.half_width;
  const double share = both > 0 ? 1 - one_squared / both : 0.5;
  const double spread = std::sqrt(share * (1 - share)) * (one.value - other.value);
  return {share * one.value + (1 - share) * other.value,
          std::hypot(share * one.half_width + (1 - share) * other.half_width, spread)};
}

/// Weight of the variance of all groups relative to that of one group, as a number of blocks.
constexpr double kBlocksOfAll = 2;

/// Returns the standard error of one reading, from successive readings of the same work. It uses the median
/// absolute difference between two successive readings, so steady warming and a single change of state do not
/// count as noise. For normally distributed readings, this median is 0.954 of their standard deviation.
/// Returns 0 for fewer than two readings, of which no noise is known (forget_intervals()).
double noise_of(const std::vector<double>& readings) {
  if (readings.size() < 2) return 0;
  std::vector<double> steps;
  for (size_t i = 1; i < readings.size(); ++i) steps.push_back(std::abs(readings[i] - readings[i - 1]));
  return median(steps) / 0.954;
}

/// Adds the uncertainty of the corrections for clocks. In the sum of the groups, corrections of opposite sign
/// cancel, because the exponent is assumed to be wrong in the same way for all launches of a program.
void add_clocks(const std::vector<CompleteBlock>& blocks, double whole_j, Shares& shares) {
  std::vector<std::vector<double>> for_clocks(shares.groups.size());
  for (const CompleteBlock& block : blocks)
    if (std::cmp_less(block.group, for_clocks.size()))
      for_clocks[static_cast<size_t>(block.group)].push_back(block.for_clocks_j() / whole_j);
  double of_all = 0;
  for (size_t g = 0; g < for_clocks.size(); ++g) {
    const double unsure = kUnsureOfClocks * mean(for_clocks[g]);
    shares.groups[g].half_width = std::hypot(shares.groups[g].half_width, unsure);
    of_all += unsure;
  }
  shares.by_differences.half_width = std::hypot(shares.by_differences.half_width, of_all);
}

/// Returns the time of each group in context, as a share of the whole.
std::vector<double> in_context(const EnergyPlan& plan) {
  std::vector<double> times;
  for (const EnergyGroup& group : plan.groups) times.push_back(group.time_s / plan.iteration_s);
  return times;
}

/// Adds the uncertainty of the wholes by which differences are divided. `half_width` is that of the mean of
/// the wholes, as a share of this mean.
void add_noise_of_wholes(double half_width, Shares& shares) {
  const auto add = [&](Interval& share) {
    share.half_width = std::hypot(share.half_width, share.value * half_width);
  };
  add(shares.by_differences);
  for (Interval& group : shares.groups) add(group);
}

/// Sets the energies of the sum and of the groups, which are scaled so that they add up to the sum. `times`
/// are the groups' times in context, as shares of the whole.
void set_sums(const std::vector<double>& times, const AllFound& all, const Shares& shares,
              EnergyEstimate& result) {
  const auto joules = [&](const Interval& share, double of_method) {
    return Interval{share.value * result.whole_j.value,
                    std::hypot(share.half_width, of_method) * result.whole_j.value};
  };
  result.by_differences_j = joules(shares.by_differences, kOfMethod);
  if (shares.by_replacement) result.by_replacement_j = joules(*shares.by_replacement, kOfMethod);
  const Interval sum = shares.by_replacement ? weighted_mean(shares.by_differences, *shares.by_replacement)
                                             : shares.by_differences;
  double parts = 0;
  for (const Interval& group : shares.groups) parts += group.value;
  for (size_t g = 0; g < times.size(); ++g) {
    const double seconds = times[g] * result.whole_s.value;
    result.sum_s += seconds;
    const Interval share{shares.groups[g].value * sum.value / parts, shares.groups[g].half_width};
    result.groups.push_back({joules(share, kOfMethodOfGroup * share.value), seconds,
                             static_cast<int>(all.groups[g].joules.size())});
  }
  result.sum_j = joules(sum, kOfMethod);
  result.sum_w = {result.sum_j.value / result.sum_s, result.sum_j.half_width / result.sum_s};
  result.added_s = shares.added * result.whole_s.value;
}

/// Sets the intervals that contain the noise of the wholes to infinity.
void forget_intervals(EnergyEstimate& estimate) {
  const auto forget = [](Interval& interval) {
    interval.half_width = std::numeric_limits<double>::infinity();
  };
  for (Interval* interval : {&estimate.by_differences_j, &estimate.sum_j, &estimate.sum_w}) forget(*interval);
  if (estimate.by_replacement_j) forget(*estimate.by_replacement_j);
  for (GroupEnergy& group : estimate.groups) forget(group.joules);
}

/// Sets clocks and temperatures. The clock of the kernels excludes readings of copies alone.
void add_states(const EnergyPlan& plan, const std::vector<EnergyBlock>& blocks, EnergyEstimate& result) {
  std::vector<double> whole_hz, group_hz, degrees_c;
  const auto note = [&](const SteadyReading& reading, std::vector<double>& clocks) {
    if (reading.clock_hz) clocks.push_back(*reading.clock_hz);
    if (reading.temperature_c) degrees_c.push_back(*reading.temperature_c);
  };
  for (const EnergyBlock& block : blocks) {
    note(block.whole, whole_hz);
    if (std::cmp_greater_equal(block.group, plan.groups.size())) continue;
    for (const SteadyReading& reading : block.with) note(reading, group_hz);
    for (const SteadyReading& reading : block.without) note(reading, group_hz);
  }
  if (!whole_hz.empty()) result.whole_clock_hz = mean(whole_hz);
  if (!group_hz.empty()) result.kernels_clock_hz = mean(group_hz);
  if (degrees_c.empty()) return;
  result.coldest_c = *std::min_element(degrees_c.begin(), degrees_c.end());
  result.warmest_c = *std::max_element(degrees_c.begin(), degrees_c.end());
}

/// Returns the difference between the repeated time of a window that is no iteration and its time in context,
/// as a share of the latter. If they differ, the caches contain other data than in context, and the energy is
/// uncertain by the same share.
double time_off_context(const EnergyPlan& plan, double whole_s) {
  return plan.end ? std::abs(whole_s / plan.iteration_s - 1) : 0;
}

/// Returns the time for which a rank waits for other ranks, as a share of the whole.
double waiting_of(const EnergyPlan& plan) {
  return plan.waiting_s.value_or(0) / plan.iteration_s;
}

/// Returns by how much the sum over groups of a rank is larger than its whole, as a share of the whole. The
/// difference of kernels contains the waiting that they cause on this rank (moved_waiting()). The difference
/// of collectives contains what this waiting consumes beyond waiting in kjoule's meetings, which have about
/// the power of pauses. So this excess is in the sum twice. The power of the waiting is taken to be between
/// that of pauses and that of the whole.
Interval waiting_counted_twice(double waiting, double pause) {
  const double most = waiting * (1 - pause);
  return {most / 2, most / 2};
}

/// Subtracts a part whose error is bounded, but not random.
void subtract(const Interval& part, Interval& interval) {
  interval.value -= part.value;
  interval.half_width += part.half_width;
}

/// Adds to the interval an uncertainty that is a share of its value.
void widen(double share, Interval& interval) {
  interval.half_width = std::hypot(interval.half_width, share * interval.value);
}

}  // namespace

int next_to_measure(const EnergyPlan& plan, const std::vector<EnergyBlock>& blocks) {
  const size_t number = blocks.size(), pairs = pairs_of(plan);
  if (number < pairs) return static_cast<int>(number);
  std::vector<double> variances(pairs), counts(pairs);
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

std::optional<WholeEnergy> estimate_whole(const EnergyPlan& plan, const EnergyWholes& readings,
                                          size_t meter) {
  const auto back = mean_of(plan.restoring, meter);
  const auto used = back ? used_meter(plan, *back, meter) : std::nullopt;
  if (!used) return {};
  std::vector<EnergyBlock> blocks;
  for (const SteadyReading& reading : readings.readings) blocks.push_back({.whole = reading});
  const std::vector<RepeatEnergy> repeats =
      wholes(complete_blocks(blocks, *used), &CompleteBlock::whole, plan, *back);
  if (repeats.empty()) return {};
  WholeEnergy energy{mean_interval(values(repeats, &RepeatEnergy::joules)),
                     mean_interval(values(repeats, &RepeatEnergy::seconds)),
                     {}};
  energy.watts.value = energy.joules.value / energy.seconds.value;
  energy.watts.half_width = energy.joules.half_width / energy.seconds.value;
  return energy;
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
  const auto whole = wholes(complete, &CompleteBlock::whole, plan, *back);
  const std::vector<double> whole_j = values(whole, &RepeatEnergy::joules);
  result.whole_j = mean_interval(whole_j);
  result.whole_s = mean_interval(values(whole, &RepeatEnergy::seconds));
  const double watts = result.whole_j.value / result.whole_s.value;
  const auto around = wholes(complete, &CompleteBlock::around, plan, *back);
  const AllFound all = found_in(complete, around, plan.groups.size());
  const double pause = std::clamp(used->pause_w / watts, 0.0, 1.0);
  const auto replaced =
      reads_all_together(plan) ? replaced_sum(complete, around, *back, plan.groups.size()) : std::nullopt;
  const Interval added =
      power_of_added_time(pause, replaced ? std::optional(replaced->displaced) : std::nullopt);
  const std::vector<double> times = in_context(plan);
  auto shares = shares_of(all, times, waiting_of(plan), pause, added);
  if (!shares) return {};
  add_clocks(complete, result.whole_j.value, *shares);
  const double noise = noise_of(whole_j) / result.whole_j.value;
  if (replaced) shares->by_replacement = by_replacement(*replaced, all, shares->context, added, noise);
  const Interval twice = waiting_counted_twice(waiting_of(plan), pause);
  subtract(twice, shares->by_differences);
  if (shares->by_replacement) subtract(twice, *shares->by_replacement);
  const double of_mean = noise / std::sqrt(static_cast<double>(whole_j.size()));
  const double of_lead = plan.end ? kOfMethodOfGroup * back->joules / result.whole_j.value : 0;
  add_noise_of_wholes(std::hypot(student_t95(all.degrees) * of_mean, of_lead), *shares);
  widen(std::hypot(of_lead, time_off_context(plan, result.whole_s.value)), result.whole_j);
  result.whole_w = {watts, watts * result.whole_j.half_width / result.whole_j.value};
  set_sums(times, all, *shares, result);
  if (whole_j.size() < 2) forget_intervals(result);
  add_states(plan, blocks, result);
  return result;
}

}  // namespace kjoule
