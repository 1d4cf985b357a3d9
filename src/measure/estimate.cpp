#include "measure/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/error.hpp"

namespace kjoule {

namespace {

std::vector<const Round*> with_window(const std::vector<Round>& rounds, int window) {
  std::vector<const Round*> chosen;
  for (const Round& round : rounds)
    if (round.window == window) chosen.push_back(&round);
  return chosen;
}

/// One value a round from several runs a round: disturbed runs are pulled to the fences around their round's median,
/// with a scale common to all rounds.
std::vector<double> round_means(std::vector<std::vector<double>> runs) {
  std::vector<double> levels;
  std::vector<std::vector<double>*> rows;
  for (auto& row : runs) {
    levels.push_back(median(row));
    for (double& value : row) value /= levels.back();
    rows.push_back(&row);
  }
  pull_to_fences(rows);
  std::vector<double> means;
  for (size_t r = 0; r < runs.size(); ++r) means.push_back(levels[r] * mean(runs[r]));
  return means;
}

using RunsOf = std::vector<double> Round::*;

std::vector<double> round_means(const std::vector<const Round*>& rounds, RunsOf runs) {
  std::vector<std::vector<double>> all;
  for (const Round* round : rounds) all.push_back(round->*runs);
  return round_means(std::move(all));
}

/// Seconds of each launch over the whole of the same round, so that the machine's drift falls out; [launch][round].
std::vector<std::vector<double>> shares(const std::vector<const Round*>& rounds, RunsOf seconds,
                                        const std::vector<double>& whole) {
  std::vector<std::vector<double>> shares((rounds.front()->*seconds).size());
  for (size_t r = 0; r < rounds.size(); ++r)
    for (size_t i = 0; i < shares.size(); ++i) shares[i].push_back((rounds[r]->*seconds)[i] / whole[r]);
  return shares;
}

/// Each kernel's share of the whole, all places added; [kernel][round]. Disturbances are pulled to fences whose scale
/// is common to the kernel's places.
std::vector<std::vector<double>> kernel_shares(const KernelTable& table, std::vector<std::vector<double>> launches) {
  std::vector<std::vector<double>> totals;
  for (const Kernel& kernel : table.kernels) {
    std::vector<std::vector<double>*> places;
    for (const LaunchIndex place : kernel.places) places.push_back(&launches.at(place));
    pull_to_fences(places);
    std::vector<double> total(launches.front().size(), 0.0);
    for (const auto* place : places)
      for (size_t r = 0; r < total.size(); ++r) total[r] += (*place)[r];
    totals.push_back(std::move(total));
  }
  return totals;
}

std::vector<double> column_sums(const std::vector<std::vector<double>>& rows) {
  std::vector<double> sums(rows.front().size(), 0.0);
  for (const auto& row : rows)
    for (size_t r = 0; r < sums.size(); ++r) sums[r] += row[r];
  return sums;
}

/// A table with a kernel for each launch: enough to add up all launches.
KernelTable launch_by_launch(size_t launches) {
  KernelTable table;
  for (LaunchIndex i = 0; i < launches; ++i) table.kernels.push_back({{}, {}, {}, {i}});
  return table;
}

std::vector<WindowTrial> trials(const KernelTable& table, const std::vector<Round>& rounds) {
  std::map<int, int> counts;
  for (const Round& round : rounds) ++counts[round.window];
  std::vector<WindowTrial> all;
  for (const auto& [window, count] : counts) {
    if (count < 2) continue;
    const auto of_window = with_window(rounds, window);
    const auto whole = round_means(of_window, &Round::whole_s);
    const auto sums = column_sums(kernel_shares(table, shares(of_window, &Round::in_context_s, whole)));
    all.push_back({window, count, mean(sums), standard_error(sums)});
  }
  return all;
}

/// Variance that the windows' disagreement with `chosen` shows beyond their own noise.
double disagreement(const std::vector<WindowTrial>& trials, const WindowTrial& chosen) {
  double weighted = 0;
  double weights = 0;
  for (const WindowTrial& other : trials) {
    if (other.window == chosen.window) continue;
    const double noise = other.standard_error * other.standard_error + chosen.standard_error * chosen.standard_error;
    const double apart = other.share - chosen.share;
    const double weight = 1 / std::max(noise, 1e-12);
    weighted += weight * (apart * apart - noise);
    weights += weight;
  }
  return weights > 0 ? std::max(0.0, weighted / weights) : 0;
}

/// Widens a t interval by a variance that more rounds do not reduce.
Interval widened(const std::vector<double>& values, double variance) {
  const double error = standard_error(values);
  const double t = student_t95(static_cast<double>(values.size()) - 1);
  constexpr double kNormal95 = 1.96;
  return {mean(values), std::sqrt(t * t * error * error + kNormal95 * kNormal95 * variance)};
}

Interval scaled(Interval interval, double factor) {
  return {interval.value * factor, interval.half_width * factor};
}

const WindowTrial& least_uncertain(const std::vector<WindowTrial>& trials) {
  return *std::min_element(trials.begin(), trials.end(), [&](const WindowTrial& a, const WindowTrial& b) {
    const auto total = [&](const WindowTrial& trial) {
      return trial.standard_error * trial.standard_error * trial.rounds + disagreement(trials, trial);
    };
    return total(a) < total(b);
  });
}

}  // namespace

int choose_window(const std::vector<Round>& rounds) {
  const auto all = trials(launch_by_launch(rounds.front().in_context_s.size()), rounds);
  if (all.empty()) throw Error("no window has two complete rounds", "raise --time-limit");
  return least_uncertain(all).window;
}

SumEstimate estimate(const KernelTable& table, const std::vector<Round>& rounds) {
  SumEstimate result;
  result.window = rounds.back().window;
  result.trials = trials(table, rounds);
  const auto used = with_window(rounds, result.window);
  if (used.size() < 2) throw Error("fewer than two complete rounds", "raise --time-limit");
  result.rounds = static_cast<int>(used.size());

  const auto whole = round_means(used, &Round::whole_s);
  result.whole_s = mean_interval(whole);
  const auto kernels = kernel_shares(table, shares(used, &Round::in_context_s, whole));
  const auto trial = std::find_if(result.trials.begin(), result.trials.end(),
                                  [&](const WindowTrial& t) { return t.window == result.window; });
  result.sum_s = scaled(widened(column_sums(kernels), disagreement(result.trials, *trial)), result.whole_s.value);

  std::vector<std::vector<double>> timeline;
  if (!used.front()->timeline_s.empty())
    timeline = kernel_shares(table, shares(used, &Round::timeline_s, whole));
  for (size_t k = 0; k < kernels.size(); ++k) {
    KernelEstimate kernel{scaled(mean_interval(kernels[k]), result.whole_s.value), {}};
    if (!timeline.empty()) kernel.timeline_s = mean(timeline[k]) * result.whole_s.value;
    result.kernels.push_back(kernel);
  }
  if (!used.front()->eager_s.empty()) result.eager_s = mean_interval(round_means(used, &Round::eager_s));
  if (!used.front()->played_s.empty()) {
    auto played = round_means(used, &Round::played_s);
    for (size_t r = 0; r < played.size(); ++r) played[r] /= whole[r];
    result.played_s = scaled(mean_interval(played), result.whole_s.value);
  }
  return result;
}

}  // namespace kjoule
