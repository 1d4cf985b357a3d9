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

/// A table with a kernel for each launch: enough to add up all launches.
KernelTable launch_by_launch(size_t launches) {
  KernelTable table;
  for (LaunchIndex i = 0; i < launches; ++i) table.kernels.push_back({{}, {}, {}, {i}});
  return table;
}

/// What one window size gave: each kernel's share of the whole, [kernel][round].
struct WindowShares {
  int window;
  double round_s;  ///< mean duration of a round
  std::vector<std::vector<double>> kernels;
};

/// Of every window with at least two rounds.
std::vector<WindowShares> window_shares(const KernelTable& table, const std::vector<Round>& rounds) {
  std::map<int, int> counts;
  for (const Round& round : rounds) ++counts[round.window];
  std::vector<WindowShares> all;
  for (const auto& [window, count] : counts) {
    if (count < 2) continue;
    const auto of_window = with_window(rounds, window);
    double seconds = 0;
    for (const Round* round : of_window)
      seconds += static_cast<double>(round->end_ns - round->begin_ns) * 1e-9;
    const auto whole = round_means(of_window, &Round::whole_s);
    all.push_back(
        {window, seconds / count, kernel_shares(table, shares(of_window, &Round::in_context_s, whole))});
  }
  return all;
}

WindowTrial trial_of(const WindowShares& window, const std::vector<double>& values) {
  return {window.window, static_cast<int>(values.size()), mean(values), standard_error(values),
          window.round_s};
}

/// How each window's sum came out.
std::vector<WindowTrial> trials_of_sum(const std::vector<WindowShares>& windows) {
  std::vector<WindowTrial> trials;
  trials.reserve(windows.size());
  for (const WindowShares& window : windows) trials.push_back(trial_of(window, column_sums(window.kernels)));
  return trials;
}

/// How one kernel came out with each window.
std::vector<WindowTrial> trials_of_kernel(const std::vector<WindowShares>& windows, size_t kernel) {
  std::vector<WindowTrial> trials;
  trials.reserve(windows.size());
  for (const WindowShares& window : windows) trials.push_back(trial_of(window, window.kernels[kernel]));
  return trials;
}

/// Two-sided 95 % quantile of the normal distribution.
constexpr double kNormal95 = 1.96;

/// Variance of a trial's share. A few rounds may agree by chance, so their scatter counts for no less than
/// what all trials together let expect.
double noise_of(const std::vector<WindowTrial>& trials, const WindowTrial& trial) {
  double pooled = 0;
  for (const WindowTrial& each : trials) pooled += each.standard_error * each.standard_error * each.rounds;
  pooled /= static_cast<double>(trials.size()) * trial.rounds;
  const double known_badly = student_t95(trial.rounds - 1) / kNormal95;
  return std::max(pooled, std::pow(trial.standard_error * known_badly, 2));
}

/// Share of the whole that the sum may be off where noise is negligible: what fences cut off honest tails,
/// and what is left of a stretch's edges.
constexpr double kResolution = 0.0002;

/// For the sum every disagreement counts. Kernels are many, and some of them disagree by chance: theirs
/// counts from one sigma on.
constexpr double kCounts = 0;
constexpr double kOneSigma = 1;

/// Variance that the other windows' disagreement with `chosen` shows beyond their own noise, of those whose
/// squared distance exceeds `from` times it.
double disagreement(const std::vector<WindowTrial>& trials, const WindowTrial& chosen, double from) {
  double weighted = 0;
  double weights = 0;
  for (const WindowTrial& other : trials) {
    if (other.window == chosen.window) continue;
    const double noise = noise_of(trials, other) + noise_of(trials, chosen);
    const double apart = other.share - chosen.share;
    const double weight = 1 / std::max(noise, 1e-12);
    if (apart * apart > from * noise) weighted += weight * (apart * apart - noise);
    weights += weight;
  }
  return weights > 0 ? std::max(0.0, weighted / weights) : 0;
}

/// Mean over the rounds kept, and a trimmed mean's interval widened by a variance that more rounds do not
/// reduce.
Interval widened(const std::vector<double>& values, const std::vector<size_t>& kept, double variance) {
  double sum = 0;
  for (const size_t round : kept) sum += values[round];
  const double noise = trimmed_half_width(values);
  return {sum / static_cast<double>(kept.size()),
          std::sqrt(noise * noise + kNormal95 * kNormal95 * variance)};
}

Interval scaled(Interval interval, double factor) {
  return {interval.value * factor, interval.half_width * factor};
}

/// Least variance that ten seconds of it would leave, plus disagreement.
const WindowTrial& least_uncertain(const std::vector<WindowTrial>& trials) {
  constexpr double kSpan_s = 10;
  return *std::min_element(trials.begin(), trials.end(), [&](const WindowTrial& a, const WindowTrial& b) {
    const auto total = [&](const WindowTrial& trial) {
      const double rounds = kSpan_s / trial.round_s;
      return noise_of(trials, trial) * trial.rounds / rounds + disagreement(trials, trial, kCounts);
    };
    return total(a) < total(b);
  });
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

int choose_window(const std::vector<Round>& rounds) {
  const auto windows = window_shares(launch_by_launch(rounds.front().in_context_s.size()), rounds);
  if (windows.empty()) throw Error("no window has two complete rounds", "raise --time-limit");
  return least_uncertain(trials_of_sum(windows)).window;
}

SumEstimate estimate(const KernelTable& table, const std::vector<Round>& rounds) {
  const auto windows = window_shares(table, rounds);
  const auto last = std::find_if(windows.begin(), windows.end(),
                                 [&](const WindowShares& w) { return w.window == rounds.back().window; });
  if (last == windows.end()) throw Error("fewer than two complete rounds", "raise --time-limit");
  const auto chosen = static_cast<size_t>(last - windows.begin());

  SumEstimate result;
  result.window = last->window;
  result.trials = trials_of_sum(windows);
  const double apart = disagreement(result.trials, result.trials[chosen], kCounts);
  // Windows that agree measure the same: all their rounds count.
  std::vector<const Round*> used;
  for (const Round& round : rounds)
    if (apart <= 0 || round.window == last->window) used.push_back(&round);
  result.rounds = static_cast<int>(used.size());

  const auto whole = round_means(used, &Round::whole_s);
  const auto kernels = kernel_shares(table, shares(used, &Round::in_context_s, whole));
  const auto sums = column_sums(kernels);
  const auto kept = kept_by_trimming(sums);
  result.whole_s = mean_interval(whole);
  const double scale = result.whole_s.value;
  result.sum_s = scaled(widened(sums, kept, apart), scale);
  result.sum_s.half_width = std::hypot(result.sum_s.half_width, kResolution * scale);
  for (size_t k = 0; k < kernels.size(); ++k) {
    const auto trials = trials_of_kernel(windows, k);
    const double kernel_apart = disagreement(trials, trials[chosen], kOneSigma);
    result.kernels.push_back({scaled(widened(kernels[k], kept, kernel_apart), scale), {}});
  }
  add_views(table, used, scale, result);
  return result;
}

}  // namespace kjoule
