#include "measure/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"

namespace kjoule {

namespace {

/// One value a round from several runs a round: disturbed runs are pulled to the fences around their round's
/// median, with a scale common to all rounds.
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
  all.reserve(rounds.size());
  for (const Round* round : rounds) all.push_back(round->*runs);
  return round_means(std::move(all));
}

/// Seconds of each launch over the whole of the same round, so that the machine's drift falls out;
/// [launch][round].
std::vector<std::vector<double>> shares(const std::vector<const Round*>& rounds, RunsOf seconds,
                                        const std::vector<double>& whole) {
  std::vector<std::vector<double>> shares((rounds.front()->*seconds).size());
  for (size_t r = 0; r < rounds.size(); ++r)
    for (size_t i = 0; i < shares.size(); ++i) shares[i].push_back((rounds[r]->*seconds)[i] / whole[r]);
  return shares;
}

/// Each kernel's share of the whole, all places added; [kernel][round]. Disturbances are pulled to fences
/// whose scale is common to the kernel's places.
std::vector<std::vector<double>> kernel_shares(const KernelTable& table,
                                               std::vector<std::vector<double>> launches) {
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

/// Which rounds used which window.
using RoundsOf = std::map<int, std::vector<size_t>>;

RoundsOf rounds_of(const std::vector<const Round*>& rounds) {
  RoundsOf by_window;
  for (size_t r = 0; r < rounds.size(); ++r) by_window[rounds[r]->window].push_back(r);
  return by_window;
}

/// How one quantity, a value a round, came out with each window.
std::vector<WindowTrial> trials_of(const RoundsOf& windows, const std::vector<double>& values) {
  std::vector<WindowTrial> trials;
  for (const auto& [window, rounds] : windows) {
    std::vector<double> its;
    for (const size_t round : rounds) its.push_back(values[round]);
    trials.push_back({window, static_cast<int>(its.size()), mean(its), standard_error(its)});
  }
  return trials;
}

double mean_share(const std::vector<WindowTrial>& trials) {
  double sum = 0;
  for (const WindowTrial& trial : trials) sum += trial.share;
  return sum / static_cast<double>(trials.size());
}

/// The values as if every window had given the mean of all windows.
std::vector<double> levelled(const RoundsOf& windows, const std::vector<WindowTrial>& trials,
                             std::vector<double> values) {
  const double centre = mean_share(trials);
  size_t t = 0;
  for (const auto& [window, rounds] : windows) {
    for (const size_t round : rounds) values[round] += centre - trials[t].share;
    ++t;
  }
  return values;
}

/// Variance of one round about its window's mean; 0 where no window has two rounds.
double scatter_within(const std::vector<WindowTrial>& trials) {
  double squares = 0;
  int degrees = 0;
  for (const WindowTrial& trial : trials) {
    squares += trial.standard_error * trial.standard_error * trial.rounds * (trial.rounds - 1);
    degrees += trial.rounds - 1;
  }
  return degrees > 0 ? squares / degrees : 0;
}

/// Windows whose variance is below this many times what scatter explains differ by chance.
constexpr double kByChance = 2;

/// Half-width of the 95 % interval of the mean over windows that comes of their differing by more than
/// scatter explains (a one-way layout with random effects); 0 where it may be chance.
double half_width_between(const std::vector<WindowTrial>& trials) {
  if (trials.size() < 2) return 0;
  std::vector<double> shares;
  double explained = 0;
  for (const WindowTrial& trial : trials) {
    shares.push_back(trial.share);
    explained += 1.0 / trial.rounds;
  }
  const auto count = static_cast<double>(trials.size());
  explained *= scatter_within(trials) / count;
  const double between = standard_deviation(shares) * standard_deviation(shares);
  if (between < kByChance * explained) return 0;
  return student_t95(count - 1) * std::sqrt(std::max(0.0, between - explained) / count);
}

/// Share of the whole that the sum may be off where noise is negligible: what fences cut off honest tails,
/// and what is left of a stretch's edges.
constexpr double kResolution = 0.0002;

/// Half-width that scatter gives the mean of levelled values.
double half_width_within(const std::vector<double>& level, size_t windows) {
  const auto rounds = static_cast<double>(level.size());
  const auto means = static_cast<double>(windows);
  if (rounds <= means) return 0;
  return trimmed_half_width(level) * std::sqrt((rounds - 1) / (rounds - means));
}

double mean_over(const std::vector<double>& values, const std::vector<size_t>& kept) {
  double sum = 0;
  for (const size_t round : kept) sum += values[round];
  return sum / static_cast<double>(kept.size());
}

Interval scaled(Interval interval, double factor) {
  return {interval.value * factor, interval.half_width * factor};
}

/// Those of the rounds in which `view` was measured.
std::vector<const Round*> with(const std::vector<const Round*>& rounds, RunsOf view) {
  std::vector<const Round*> chosen;
  std::copy_if(rounds.begin(), rounds.end(), std::back_inserter(chosen),
               [&](const Round* round) { return !(round->*view).empty(); });
  return chosen;
}

std::optional<double> mean_of(const std::vector<const Round*>& rounds, std::optional<double> Round::*value) {
  std::vector<double> told;
  for (const Round* round : rounds)
    if (round->*value) told.push_back(*(round->*value));
  return told.empty() ? std::nullopt : std::optional(mean(told));
}

/// The wholes among the launches, a value a round; empty where there are none.
std::vector<double> all_among(const std::vector<const Round*>& rounds) {
  std::vector<double> all;
  for (const Round* round : rounds)
    if (round->among_s) all.push_back(*round->among_s);
  return all;
}

/// What stands beside the sum and is not used in it.
void add_views(const KernelTable& table, const std::vector<const Round*>& rounds, double scale,
               SumEstimate& result) {
  if (const auto seen = with(rounds, &Round::timeline_s); !seen.empty()) {
    const auto whole = round_means(seen, &Round::whole_s);
    const auto timeline = kernel_shares(table, shares(seen, &Round::timeline_s, whole));
    for (size_t k = 0; k < timeline.size(); ++k) result.kernels[k].timeline_s = mean(timeline[k]) * scale;
  }
  if (const auto seen = with(rounds, &Round::eager_s); seen.size() > 1)
    result.eager_s = mean_interval(round_means(seen, &Round::eager_s));
  if (const auto seen = with(rounds, &Round::played_s); seen.size() > 1) {
    const auto whole = round_means(seen, &Round::whole_s);
    auto played = round_means(seen, &Round::played_s);
    for (size_t r = 0; r < played.size(); ++r) played[r] /= whole[r];
    result.played_s = scaled(mean_interval(played), scale);
  }
  result.whole_clock_hz = mean_of(rounds, &Round::whole_clock_hz);
  result.sweep_clock_hz = mean_of(rounds, &Round::sweep_clock_hz);
}

}  // namespace

SumEstimate estimate(const KernelTable& table, const std::vector<Round>& rounds) {
  if (rounds.size() < 2) throw Error("fewer than two complete rounds", "raise --time-limit");
  std::vector<const Round*> used;
  for (const Round& round : rounds) used.push_back(&round);
  const RoundsOf windows = rounds_of(used);
  const auto whole = round_means(used, &Round::whole_s);
  const auto among = all_among(used);
  const auto kernels =
      kernel_shares(table, shares(used, &Round::in_context_s, among.empty() ? whole : among));
  const auto sums = column_sums(kernels);

  SumEstimate result;
  result.rounds = static_cast<int>(used.size());
  result.trials = trials_of(windows, sums);
  result.whole_s = mean_interval(whole);
  if (!among.empty()) result.among_s = mean(among);
  const double scale = result.whole_s.value;
  const auto level = levelled(windows, result.trials, sums);
  const auto kept = kept_by_trimming(level);
  const double scatter = half_width_within(level, windows.size());
  const double apart = half_width_between(result.trials);
  result.scatter_s = scatter * scale;
  result.sum_s = scaled({mean_over(level, kept), std::hypot(scatter, apart, kResolution)}, scale);
  for (const std::vector<double>& kernel : kernels) {
    const auto trials = trials_of(windows, kernel);
    const auto its = levelled(windows, trials, kernel);
    const double width = std::hypot(half_width_within(its, windows.size()), half_width_between(trials));
    result.kernels.push_back({scaled({mean_over(its, kept), width}, scale), {}});
  }
  add_views(table, used, scale, result);
  return result;
}

}  // namespace kjoule
