#include "measure/energy_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "measure/statistics.hpp"

namespace kjoule {

namespace {

/// One repeat of a reading.
struct Repeat {
  double joules = 0, seconds = 0;
};

std::optional<Repeat> repeat_of(const SteadyReading& reading, size_t meter) {
  if (meter >= reading.mean_w.size() || !reading.mean_w[meter]) return {};
  return Repeat{*reading.mean_w[meter] * reading.repeat_s, reading.repeat_s};
}

/// The readings that told something.
std::vector<Repeat> repeats_of(const std::vector<SteadyReading>& readings, size_t meter) {
  std::vector<Repeat> told;
  for (const SteadyReading& reading : readings)
    if (const auto repeat = repeat_of(reading, meter)) told.push_back(*repeat);
  return told;
}

using Value = double Repeat::*;

std::vector<double> values(const std::vector<Repeat>& repeats, Value value) {
  std::vector<double> all;
  for (const Repeat& repeat : repeats) all.push_back(repeat.*value);
  return all;
}

/// A block in which everything was told.
struct Told {
  int group;
  Repeat whole;
  std::vector<Repeat> with, without;
};

std::vector<Told> told_blocks(const std::vector<EnergyBlock>& blocks, size_t meter) {
  std::vector<Told> all;
  for (const EnergyBlock& block : blocks) {
    const auto whole = repeat_of(block.whole, meter);
    Told told{block.group, whole.value_or(Repeat{}), repeats_of(block.with, meter),
              repeats_of(block.without, meter)};
    if (whole && told.with.size() == block.with.size() && told.without.size() == block.without.size())
      all.push_back(std::move(told));
  }
  return all;
}

/// What putting the memory back takes: n iterations and it, against one iteration and it.
Repeat put_back(const std::vector<Told>& blocks, int iterations) {
  std::vector<double> joules, seconds;
  const double n = iterations;
  for (const Told& block : blocks) {
    if (block.group != kOneIteration) continue;
    const double one_j = mean(values(block.with, &Repeat::joules));
    const double one_s = mean(values(block.with, &Repeat::seconds));
    joules.push_back((n * one_j - block.whole.joules) / (n - 1));
    seconds.push_back((n * one_s - block.whole.seconds) / (n - 1));
  }
  return {mean(joules), mean(seconds)};
}

/// Of each block one iteration of the whole, memory put back not included.
std::vector<double> wholes(const std::vector<Told>& blocks, int iterations, double off, Value value) {
  std::vector<double> all;
  for (const Told& block : blocks) all.push_back((block.whole.*value - off) / iterations);
  return all;
}

/// Of the two ways of a block, one minus the other, over the whole; and its variance from how readings of the
/// same work differ.
struct Difference {
  double share = 0;
  double variance = 0;
};

Difference difference(const Told& block, double whole, Value value) {
  const auto with = values(block.with, value);
  const auto without = values(block.without, value);
  const double squares =
      standard_error(with) * standard_error(with) + standard_error(without) * standard_error(without);
  return {(mean(with) - mean(without)) / whole, squares / (whole * whole)};
}

/// What blocks of one kind say of one group.
struct Found {
  std::vector<double> joules, seconds;  ///< shares of the whole, a value a block
};

/// All groups.
struct AllFound {
  std::vector<Found> groups;
  double variance_j = 0,
         variance_s = 0;  ///< of one block's share; pooled: their noise is that of the same readings
  double degrees = 0;     ///< of freedom of these
};

AllFound found_in(const std::vector<Told>& blocks, const std::vector<double>& whole_j,
                  const std::vector<double>& whole_s, size_t groups) {
  AllFound all{std::vector<Found>(groups)};
  std::vector<double> variances_j, variances_s;
  for (size_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b].group == kOneIteration) continue;
    const Difference joules = difference(blocks[b], whole_j[b], &Repeat::joules);
    const Difference seconds = difference(blocks[b], whole_s[b], &Repeat::seconds);
    Found& found = all.groups.at(static_cast<size_t>(blocks[b].group));
    found.joules.push_back(joules.share);
    found.seconds.push_back(seconds.share);
    variances_j.push_back(joules.variance);
    variances_s.push_back(seconds.variance);
  }
  if (variances_j.empty()) return all;
  all.variance_j = mean(variances_j);
  all.variance_s = mean(variances_s);
  all.degrees = 2 * static_cast<double>(variances_j.size());
  return all;
}

/// One group's share of the whole.
struct Share {
  double joules = 0, seconds = 0;
  double variance_j = 0, variance_s = 0;
  double off = 0;  ///< by how much its time differs from that in context, beyond noise
};

/// An iteration without the group's launches may treat the others otherwise: then the group's time is not
/// what it takes in context, and its energy is known no better than its time.
double off_by(double seconds, double variance, double in_context) {
  const double apart = seconds - in_context;
  return std::sqrt(std::max(0.0, apart * apart - variance));
}

std::optional<Share> share_of(const AllFound& all, size_t group, double in_context) {
  const Found& found = all.groups[group];
  if (found.joules.empty()) return {};
  const auto blocks = static_cast<double>(found.joules.size());
  Share share{mean(found.joules), mean(found.seconds), all.variance_j / blocks, all.variance_s / blocks, 0};
  share.off = off_by(share.seconds, share.variance_s, in_context);
  return share;
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

std::optional<EnergyEstimate> estimate_energy(const EnergyPlan& plan, const std::vector<EnergyBlock>& blocks,
                                              size_t meter) {
  const std::vector<Told> told = told_blocks(blocks, meter);
  if (std::none_of(told.begin(), told.end(), [](const Told& block) { return block.group == kOneIteration; }))
    return {};
  EnergyEstimate result;
  const Repeat back = put_back(told, plan.iterations);
  result.put_back_j = back.joules;
  result.put_back_s = back.seconds;
  const auto whole_j = wholes(told, plan.iterations, back.joules, &Repeat::joules);
  const auto whole_s = wholes(told, plan.iterations, back.seconds, &Repeat::seconds);
  const AllFound all = found_in(told, whole_j, whole_s, plan.groups.size());
  double joules = 0, seconds = 0, variance = 0, off = 0;
  std::vector<Share> shares;
  for (size_t g = 0; g < plan.groups.size(); ++g) {
    const auto share = share_of(all, g, plan.groups[g].time_s / plan.iteration_s);
    if (!share) return {};
    joules += share->joules;
    seconds += share->seconds;
    variance += share->variance_j;
    off += share->off;
    shares.push_back(*share);
  }

  result.whole_j = mean_interval(whole_j);
  result.whole_s = mean_interval(whole_s);
  const double watts = result.whole_j.value / result.whole_s.value;
  result.whole_w = {watts, watts * result.whole_j.half_width / result.whole_j.value};
  const double t = student_t95(all.degrees);
  const double whole_noise = joules * standard_error(whole_j) / result.whole_j.value;
  const double width = std::hypot(t * std::sqrt(variance + whole_noise * whole_noise), off);
  result.sum_j = {joules * result.whole_j.value, width * result.whole_j.value};
  result.sum_s = seconds * result.whole_s.value;
  result.sum_w = {result.sum_j.value / result.sum_s, result.sum_j.half_width / result.sum_s};
  for (size_t g = 0; g < shares.size(); ++g) {
    const double own = std::hypot(t * std::sqrt(shares[g].variance_j), shares[g].off);
    GroupEnergy group;
    group.joules = {shares[g].joules * result.whole_j.value, own * result.whole_j.value};
    group.seconds = {shares[g].seconds * result.whole_s.value,
                     t * std::sqrt(shares[g].variance_s) * result.whole_s.value};
    group.blocks = static_cast<int>(all.groups[g].joules.size());
    result.groups.push_back(group);
  }
  add_states(blocks, result);
  return result;
}

}  // namespace kjoule
