#include "measure/time/stamped_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/numbers/statistics.hpp"
#include "measure/time/launch_times.hpp"
#include "measure/time/stamp_effect.hpp"

namespace kjoule {

namespace {

using StampedRounds = std::vector<const StampedLaunches*>;

/// Largest number of parts of the jackknife. More parts take longer and do not improve the interval.
constexpr size_t kMostParts = 12;

/// Half-width of the instrument's own error, as a share of the whole. Between runs of the same program, sum
/// and whole differ by 0.05 % (standard deviation) more than the rounds of one run show
/// (tests/gpu/instrument_term).
constexpr double kInstrumentShare = 0.001;

/// Half-width of the instrument's error from launches that switch engines, as a share of the scatter of their
/// times between replays. Such launches wait for the other engine for some us in a share of the replays; this
/// share is another one if a stamp is among them.
constexpr double kSwitchShare = 0.4;
/// Largest standard deviation of such a wait, which takes 6 us in a share of the replays. The times of long
/// copies scatter by more, because the speed of the link to the host changes; the scatter of rounds includes
/// this.
constexpr double kMostSwitchScatterS = 3e-6;

/// Half-widths of the instrument's error in the time of one launch: a share of its time, and a constant,
/// which are added in quadrature; and a constant for a launch that switches engines. They cover the errors on
/// an H200 that the rounds of one run do not show (kernels of known time, tests/gpu/known).
constexpr double kLaunchShare = 0.003;
constexpr double kLaunchS = 0.03e-6;
constexpr double kEngineSwitchS = 0.8e-6;

/// Half-width of the instrument's error in the time of a cooperative launch. This time depends on the graph
/// that contains the launch, in steps of 0.1 to 0.2 us. Both differences between wholes of one program with
/// and without one launch, and comparisons with kernels of known time on an H200, show these steps.
constexpr double kCooperativeS = 0.2e-6;

double added_up(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Times of the whole, of launches and of kernels, from a selection of rounds.
struct Times {
  double whole_s = 0;
  double restoring_s = 0;  ///< time of restoring memory after an iteration, if that is replayed
  double switch_variance_s2 =
      0;  ///< variance between replays of the total time of launches that switch engines
  std::vector<double> launch_s, kernel_s;

  double sum_over_whole() const { return added_up(launch_s) / whole_s; }
};

/// Returns the half-width of the instrument's error in the sum. Errors of cooperative launches have the same
/// sign, so they are added.
double instrument_half_width_of_sum(const Times& times, const TimedIteration& iteration) {
  const auto cooperative = std::ranges::count_if(
      iteration.cooperative, [&](LaunchIndex launch) { return iteration.is_measured(launch); });
  const auto switches = std::ranges::count_if(
      iteration.engine_switches, [&](LaunchIndex launch) { return iteration.is_measured(launch); });
  const double variance_s2 = std::min(
      times.switch_variance_s2, kMostSwitchScatterS * kMostSwitchScatterS * static_cast<double>(switches));
  return std::hypot(kInstrumentShare * (times.whole_s + times.restoring_s),
                    kSwitchShare * std::sqrt(variance_s2), kCooperativeS * static_cast<double>(cooperative));
}

/// Returns the half-width of the instrument's error in a kernel's time. Errors of its launches have the same
/// sign, so they are added.
double instrument_half_width(const Kernel& kernel, const TimedIteration& iteration,
                             const std::vector<double>& launch_s) {
  double half_width = 0;
  for (const LaunchIndex launch : kernel.places)
    half_width += iteration.engine_switches.contains(launch)
                      ? kEngineSwitchS
                      : std::hypot(kLaunchShare * launch_s[launch],
                                   iteration.cooperative.contains(launch) ? kCooperativeS : kLaunchS);
  return half_width;
}

/// The distances between stamps of all rounds, prepared for computing times from any selection of rounds.
class RoundsFit {
 public:
  RoundsFit(const KernelTable& table, const TimedIteration& iteration, const StampedRounds& rounds,
            const std::vector<double>& launch_shares)
      : table_(table),
        iteration_(iteration),
        rounds_(rounds),
        shares_(launch_shares),
        order_(iteration.order()),
        timed_together_(iteration.timed_together_groups()),
        switches_(iteration.switches_engine()),
        fit_(order_.size(), graphs_of(rounds)) {}

  /// Returns the times from the rounds for which used(round) is true.
  template <typename Used>
  Times times_of(const Used& used) const {
    std::vector<bool> graphs;
    std::vector<const StampedGraph*> dense, sparse;
    for (size_t r = 0; r < rounds_.size(); ++r) {
      graphs.insert(graphs.end(), rounds_[r]->dense.size(), used(r));
      if (!used(r)) continue;
      for (const StampedGraph& graph : rounds_[r]->dense) dense.push_back(&graph);
      for (const StampedGraph& graph : rounds_[r]->sparse) sparse.push_back(&graph);
    }
    const FittedTimes found = fit_.times_of(graphs);
    const StampEffect effect = find_stamp_effect(found, switches_, stamps_per_launch(dense), sparse);
    Times times;
    times.launch_s.assign(iteration_.launches + (iteration_.restores ? 1 : 0), 0.0);
    for (size_t place = 0; place < order_.size(); ++place) {
      times.launch_s[order_[place]] = effect.unbroken_s(found.seconds[place], switches_[place]);
      if (switches_[place] && iteration_.is_measured(order_[place]))
        times.switch_variance_s2 += found.variance_s2[place];
    }
    if (iteration_.restores) {
      times.restoring_s = times.launch_s.back();
      times.launch_s.pop_back();
    }
    if (!shares_.empty()) divide_by_shares(times.launch_s);
    for (LaunchIndex launch = 0; launch < times.launch_s.size(); ++launch)
      if (!iteration_.is_measured(launch)) times.launch_s[launch] = 0;
    for (const Kernel& kernel : table_.kernels) {
      times.kernel_s.push_back(0);
      for (const LaunchIndex launch : kernel.places) times.kernel_s.back() += times.launch_s[launch];
    }
    times.whole_s = whole_of(found, used) - times.restoring_s;
    return times;
  }

 private:
  static std::vector<StampedGraph> graphs_of(const StampedRounds& rounds) {
    std::vector<StampedGraph> graphs;
    for (const StampedLaunches* round : rounds)
      graphs.insert(graphs.end(), round->dense.begin(), round->dense.end());
    return graphs;
  }

  void divide_by_shares(std::vector<double>& launch_s) const {
    for (const auto& group : timed_together_) {
      double time_s = 0, shares = 0;
      for (const LaunchIndex launch : group) time_s += launch_s[launch], shares += shares_.at(launch);
      for (const LaunchIndex launch : group)
        if (shares > 0) launch_s[launch] = time_s * shares_[launch] / shares;
    }
  }

  /// Returns the time of the whole, with restoring.
  template <typename Used>
  double whole_of(const FittedTimes& found, const Used& used) const {
    std::vector<double> wholes;
    for (size_t r = 0; r < rounds_.size(); ++r) {
      if (!used(r)) continue;
      for (const StampedGraph& whole : rounds_[r]->wholes)
        wholes.push_back(
            (added_up(whole.mean_s) - found.stamp_cost_s[whole.stamped_after.front() % order_.size()]) /
            rounds_[r]->iterations);
    }
    return mean(wholes);
  }

  const KernelTable& table_;
  const TimedIteration& iteration_;
  const StampedRounds& rounds_;
  const std::vector<double>& shares_;
  std::vector<LaunchIndex> order_;
  std::vector<std::vector<LaunchIndex>> timed_together_;
  std::vector<bool> switches_;  ///< by position in order_
  LaunchTimeFit fit_;
};

/// Returns the half-width of the 95 % interval by the jackknife. `without` has the times without each part of
/// the rounds in turn.
template <typename Value>
double half_width(const std::vector<Times>& without, const Value& value_of) {
  std::vector<double> values;
  for (const Times& times : without) values.push_back(value_of(times));
  return student_t95(static_cast<double>(values.size()) - 1) * jackknife_error(values);
}

std::optional<double> mean_of(const StampedRounds& rounds, std::optional<double> StampedLaunches::*value) {
  std::vector<double> known;
  for (const StampedLaunches* round : rounds)
    if (round->*value) known.push_back(*(round->*value));
  return known.empty() ? std::nullopt : std::optional(mean(known));
}

/// Returns the rounds that replay exactly the launches of `iteration`: rounds that were measured before a
/// launch was excluded are omitted. Throws Error if too few rounds are left.
StampedRounds rounds_of(const TimedIteration& iteration, const StampedRounds& rounds) {
  StampedRounds same;
  for (const StampedLaunches* round : rounds)
    if (round->launches == iteration.order().size()) same.push_back(round);
  if (same.size() < kFewestRounds)
    throw Error(
        "too little was measured within the time limit: a result needs two complete rounds of measurements",
        "raise --time-limit");
  return same;
}

}  // namespace

SumEstimate estimate_stamped(const KernelTable& table, const TimedIteration& iteration,
                             const StampedRounds& all, const std::vector<double>& launch_shares) {
  const StampedRounds rounds = rounds_of(iteration, all);
  const RoundsFit fit(table, iteration, rounds, launch_shares);
  const size_t parts = std::min(rounds.size(), kMostParts);
  std::vector<Times> without;
  for (size_t part = 0; part < parts; ++part)
    without.push_back(fit.times_of([&](size_t round) { return round % parts != part; }));
  Times times = fit.times_of([](size_t) { return true; });

  SumEstimate result;
  result.rounds = static_cast<int>(rounds.size());
  result.whole_s = {times.whole_s, half_width(without, [](const Times& t) { return t.whole_s; })};
  const double of_rounds = half_width(without, [](const Times& t) { return t.sum_over_whole(); });
  result.instrument_half_width_s = instrument_half_width_of_sum(times, iteration);
  result.sum_s = {added_up(times.launch_s),
                  std::hypot(times.whole_s * of_rounds, result.instrument_half_width_s)};
  for (size_t k = 0; k < table.kernels.size(); ++k) {
    const double of_rounds_s = half_width(without, [&](const Times& t) { return t.kernel_s[k]; });
    const double of_instrument_s = instrument_half_width(table.kernels[k], iteration, times.launch_s);
    result.kernel_s.push_back({times.kernel_s[k], std::hypot(of_rounds_s, of_instrument_s)});
  }
  result.launch_s = std::move(times.launch_s);
  const Times even = fit.times_of([](size_t round) { return round % 2 == 0; });
  const Times odd = fit.times_of([](size_t round) { return round % 2 == 1; });
  result.half_of_places = test_halves(table, even.launch_s, odd.launch_s);
  result.whole_clock_hz = mean_of(rounds, &StampedLaunches::whole_clock_hz);
  result.sum_clock_hz = mean_of(rounds, &StampedLaunches::sum_clock_hz);
  return result;
}

}  // namespace kjoule
