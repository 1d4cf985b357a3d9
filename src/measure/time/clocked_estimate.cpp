#include "measure/time/clocked_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers/statistics.hpp"

namespace kjoule {

namespace {

using ClockedRounds = std::vector<const ClockedLaunches*>;
using RunsOf = std::vector<double> ClockedLaunches::*;

/// Systematic error of the sum from the cost of reading the clock, as a share of the whole.
constexpr double kResolution = 0.0002;

/// Returns the mean of the runs in each round.
std::vector<double> round_means(const ClockedRounds& rounds, RunsOf which) {
  std::vector<double> means;
  for (const ClockedLaunches* round : rounds) means.push_back(mean(round->*which));
  return means;
}

/// Returns the sum of the shares of all launches in each round.
std::vector<double> sum_by_round(const std::vector<std::vector<double>>& shares) {
  std::vector<double> sums(shares.front().size(), 0.0);
  for (const auto& launch : shares)
    for (size_t r = 0; r < sums.size(); ++r) sums[r] += launch[r];
  return sums;
}

/// Returns the time of each launch divided by the whole of the same round, by [launch][round]. The division
/// removes the machine's drift. Outliers are moved to a limit, whose scale is common to all places of a
/// kernel. The time that this removes is divided among all launches of the round, because an interruption may
/// hit any launch, and is also part of the whole.
std::vector<std::vector<double>> launch_shares(const KernelTable& table, const ClockedRounds& rounds,
                                               const std::vector<double>& whole) {
  std::vector<std::vector<double>> shares(rounds.front()->launch_s.size());
  for (size_t r = 0; r < rounds.size(); ++r)
    for (size_t i = 0; i < shares.size(); ++i) shares[i].push_back(rounds[r]->launch_s[i] / whole[r]);
  const std::vector<double> all = sum_by_round(shares);
  for (const Kernel& kernel : table.kernels) {
    std::vector<std::vector<double>*> places;
    for (const LaunchIndex place : kernel.places) places.push_back(&shares.at(place));
    limit_outliers(places);
  }
  const std::vector<double> limited = sum_by_round(shares);
  for (auto& launch : shares)
    for (size_t r = 0; r < launch.size(); ++r) launch[r] *= all[r] / limited[r];
  return shares;
}

/// Returns the sum of the shares of `launches` in each round.
std::vector<double> sum_by_round(const std::vector<std::vector<double>>& shares,
                                 const std::vector<LaunchIndex>& launches) {
  std::vector<double> sums(shares.front().size(), 0.0);
  for (const LaunchIndex launch : launches)
    for (size_t r = 0; r < sums.size(); ++r) sums[r] += shares[launch][r];
  return sums;
}

double mean_over(const std::vector<double>& values, const std::vector<size_t>& kept) {
  double sum = 0;
  for (const size_t round : kept) sum += values[round];
  return sum / static_cast<double>(kept.size());
}

/// Returns for each round, if it is omitted, the rounds that trimming then keeps.
std::vector<std::vector<size_t>> kept_without_each(const std::vector<double>& sums) {
  std::vector<std::vector<size_t>> all;
  for (size_t left_out = 0; left_out < sums.size(); ++left_out) {
    std::vector<double> others = sums;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
    std::vector<size_t> kept = untrimmed_positions(others);
    for (size_t& round : kept) round += round >= left_out;
    all.push_back(std::move(kept));
  }
  return all;
}

/// Returns the half-width of the 95 % interval of a mean, by the jackknife over rounds. The mean is over the
/// rounds that are kept when the sums are trimmed. Trimming a kernel's own values would give too narrow an
/// interval: the rounds that are omitted are extreme for the sum, but seldom for the kernel.
double jackknife_half_width(const std::vector<double>& values,
                            const std::vector<std::vector<size_t>>& without_each) {
  std::vector<double> means;
  for (const std::vector<size_t>& kept : without_each) means.push_back(mean_over(values, kept));
  return student_t95(static_cast<double>(means.size()) - 1) * jackknife_error(means);
}

/// Returns each launch's mean over every second round, beginning with round `first`.
std::vector<double> means_of_half(const std::vector<std::vector<double>>& shares, size_t first) {
  std::vector<double> means;
  for (const auto& launch : shares) {
    std::vector<double> half;
    for (size_t r = first; r < launch.size(); r += 2) half.push_back(launch[r]);
    means.push_back(mean(half));
  }
  return means;
}

std::optional<Interval> own_iteration_of(const ClockedRounds& rounds, double scale) {
  ClockedRounds seen;
  std::copy_if(rounds.begin(), rounds.end(), std::back_inserter(seen),
               [](const ClockedLaunches* round) { return !round->own_iteration_s.empty(); });
  if (seen.size() < 2) return std::nullopt;
  const std::vector<double> whole = round_means(seen, &ClockedLaunches::whole_s);
  std::vector<double> own = round_means(seen, &ClockedLaunches::own_iteration_s);
  for (size_t r = 0; r < own.size(); ++r) own[r] /= whole[r];
  const Interval share = mean_interval(own);
  return Interval{share.value * scale, share.half_width * scale};
}

}  // namespace

SumEstimate estimate_clocked(const KernelTable& table, const ClockedRounds& rounds) {
  const std::vector<double> whole = round_means(rounds, &ClockedLaunches::whole_s);
  const auto shares = launch_shares(table, rounds, whole);
  const std::vector<double> sums = sum_by_round(shares);
  const std::vector<size_t> kept = untrimmed_positions(sums);

  SumEstimate result;
  result.rounds = static_cast<int>(rounds.size());
  result.whole_s = mean_interval(whole);
  const double scale = result.whole_s.value;
  result.sum_s = {mean_over(sums, kept) * scale, std::hypot(trimmed_half_width(sums), kResolution) * scale};
  for (const auto& launch : shares) result.launch_s.push_back(mean_over(launch, kept) * scale);
  const auto without_each = kept_without_each(sums);
  for (const Kernel& kernel : table.kernels) {
    const std::vector<double> its = sum_by_round(shares, kernel.places);
    result.kernel_s.push_back(
        {mean_over(its, kept) * scale, jackknife_half_width(its, without_each) * scale});
  }
  result.half_of_places = test_halves(table, means_of_half(shares, 0), means_of_half(shares, 1));
  result.own_iteration_s = own_iteration_of(rounds, scale);
  return result;
}

}  // namespace kjoule
