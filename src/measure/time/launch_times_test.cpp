#include "measure/time/launch_times.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/numbers/statistics.hpp"
#include "measure/time/stamp_places.hpp"
#include "simulated/random.hpp"

namespace kjoule {
namespace {

/// The launches of a device, whose times are known.
struct KnownLaunches {
  FittedTimes times;
  std::vector<double> noise_s;  ///< by launch, standard deviation between replays
  double stamp_noise_s = 0;
  std::vector<bool> may_stamp;

  size_t size() const { return noise_s.size(); }
};

KnownLaunches draw_launches(size_t launches, double noise_s, uint64_t seed) {
  Draws draws(seed);
  KnownLaunches known{{}, std::vector<double>(launches, noise_s), noise_s, std::vector<bool>(launches, true)};
  for (size_t i = 0; i < launches; ++i) {
    known.times.seconds.push_back(draws.between(1e-6, 40e-6));
    known.times.stamp_cost_s.push_back(draws.between(0.5e-6, 1.5e-6));
  }
  return known;
}

/// Returns a nearly normally distributed number with a standard deviation of 1: the sum of twelve uniform
/// numbers.
double draw_normal(Draws& draws) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += draws.between(0, 1);
  return sum;
}

double draw_stretch(const KnownLaunches& known, uint32_t from, uint32_t to, Draws& draws) {
  double seconds = known.times.stamp_cost_s[from % known.size()] + known.stamp_noise_s * draw_normal(draws);
  for (uint32_t position = from + 1; position <= to; ++position) {
    const size_t launch = position % known.size();
    seconds += known.times.seconds[launch] + known.noise_s[launch] * draw_normal(draws);
  }
  return seconds;
}

struct Study {
  size_t graphs = 60;
  int replays = 20;
  uint32_t iterations = 2;
  uint32_t largest_gap = 4;
};

std::vector<StampedGraph> replay_graphs(const KnownLaunches& known, const Study& study, uint64_t seed) {
  const auto n = static_cast<uint32_t>(known.size());
  Draws draws(mix(seed, 1));
  std::vector<StampedGraph> graphs;
  for (size_t graph = 0; graph < study.graphs; ++graph) {
    const auto after = draw_stamp_places(n - 1, n - 1 + n * study.iterations, study.largest_gap,
                                         known.may_stamp, mix(seed, graph, 2));
    std::vector<double> seconds;
    for (int replay = 0; replay < study.replays; ++replay)
      for (size_t i = 0; i + 1 < after.size(); ++i)
        seconds.push_back(draw_stretch(known, after[i], after[i + 1], draws));
    graphs.push_back(summarize_replays(after, seconds));
  }
  return graphs;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Standard errors of fitted times, by the jackknife over graphs.
struct Errors {
  std::vector<double> seconds, stamp_costs;  ///< by launch
  double sum = 0;
};

Errors errors_of(const LaunchTimeFit& fit, size_t graphs) {
  constexpr size_t kParts = 20;
  std::vector<FittedTimes> without;
  for (size_t part = 0; part < kParts; ++part) {
    std::vector<bool> used(graphs);
    for (size_t graph = 0; graph < graphs; ++graph) used[graph] = graph % kParts != part;
    without.push_back(fit.times_of(used));
  }
  const auto error = [&](const auto& value_of) {
    std::vector<double> values;
    for (const FittedTimes& times : without) values.push_back(value_of(times));
    return jackknife_error(values);
  };
  Errors errors;
  for (size_t i = 0; i < without.front().seconds.size(); ++i) {
    errors.seconds.push_back(error([&](const FittedTimes& times) { return times.seconds[i]; }));
    errors.stamp_costs.push_back(error([&](const FittedTimes& times) { return times.stamp_cost_s[i]; }));
  }
  errors.sum = error([](const FittedTimes& times) { return sum(times.seconds); });
  return errors;
}

int count_within(const std::vector<double>& found, const std::vector<double>& known,
                 const std::vector<double>& errors, double times_error) {
  int within = 0;
  for (size_t i = 0; i < known.size(); ++i)
    within += std::abs(found[i] - known[i]) <= times_error * errors[i];
  return within;
}

TEST(LaunchTimeFit, FindsKnownTimesWithinTheErrorsOfTheJackknife) {
  const KnownLaunches known = draw_launches(200, 100e-9, 1);
  const LaunchTimeFit fit(200, replay_graphs(known, {}, 1));
  const FittedTimes times = fit.times();
  const Errors errors = errors_of(fit, Study{}.graphs);
  EXPECT_GE(count_within(times.seconds, known.times.seconds, errors.seconds, 2.5), 180);
  EXPECT_GE(count_within(times.stamp_cost_s, known.times.stamp_cost_s, errors.stamp_costs, 2.5), 180);
  // The standard errors are also not too large: half of all normally distributed errors are within 0.67 of
  // them.
  EXPECT_LE(count_within(times.seconds, known.times.seconds, errors.seconds, 0.67), 130);
  const double known_sum = sum(known.times.seconds);
  EXPECT_NEAR(sum(times.seconds), known_sum, 3 * errors.sum);
  EXPECT_NEAR(sum(times.seconds), known_sum, 1e-3 * known_sum);
}

TEST(LaunchTimeFit, IsExactWithoutNoise) {
  KnownLaunches known = draw_launches(30, 0, 2);
  const FittedTimes times = LaunchTimeFit(30, replay_graphs(known, {.replays = 1}, 2)).times();
  for (size_t i = 0; i < 30; ++i) {
    EXPECT_NEAR(times.seconds[i], known.times.seconds[i], 1e-11) << i;
    EXPECT_NEAR(times.stamp_cost_s[i], known.times.stamp_cost_s[i], 1e-11) << i;
  }
}

constexpr size_t kNoisy = 20;

/// Root mean square errors of the launches around launch kNoisy.
struct NeighbourErrors {
  double neighbours_s = 0;  ///< error of the launches before it, and of the second launch after it
  double next_s = 0;  ///< error of the next launch together with the cost of the stamp before this launch
};

NeighbourErrors find_neighbour_errors(const KnownLaunches& known, bool weighted) {
  constexpr uint64_t kSeeds = 8;
  NeighbourErrors squares;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    std::vector<StampedGraph> graphs = replay_graphs(known, {}, seed);
    for (StampedGraph& graph : graphs)
      if (!weighted) std::fill(graph.spread_s.begin(), graph.spread_s.end(), 1e-6);
    const FittedTimes times = LaunchTimeFit(known.size(), graphs).times();
    for (const size_t i : {kNoisy - 2, kNoisy - 1, kNoisy + 2})
      squares.neighbours_s += std::pow(times.seconds[i] - known.times.seconds[i], 2) / (3 * kSeeds);
    const double next = times.stamp_cost_s[kNoisy] + times.seconds[kNoisy + 1];
    const double known_next = known.times.stamp_cost_s[kNoisy] + known.times.seconds[kNoisy + 1];
    squares.next_s += std::pow(next - known_next, 2) / kSeeds;
  }
  return {std::sqrt(squares.neighbours_s), std::sqrt(squares.next_s)};
}

TEST(LaunchTimeFit, ANoisyLaunchDoesNotSpoilItsNeighbours) {
  const KnownLaunches quiet = draw_launches(40, 50e-9, 3);
  KnownLaunches noisy = quiet;
  noisy.noise_s[kNoisy] *= 100;
  noisy.times.seconds[kNoisy] = 3e-3;
  const NeighbourErrors without_noise = find_neighbour_errors(quiet, true);
  const NeighbourErrors beside_noise = find_neighbour_errors(noisy, true);
  const NeighbourErrors unweighted = find_neighbour_errors(noisy, false);
  EXPECT_LT(beside_noise.neighbours_s, 3 * without_noise.neighbours_s);
  EXPECT_LT(beside_noise.next_s, 3 * without_noise.next_s);
  EXPECT_GT(unweighted.neighbours_s, 10 * without_noise.neighbours_s);
}

// Only stretches that contain the noisy launch separate the next launch from the stamp before it.
TEST(LaunchTimeFit, TheErrorOfTheLaunchAfterANoisyOneIsKnown) {
  KnownLaunches known = draw_launches(40, 50e-9, 3);
  known.noise_s[kNoisy] *= 100;
  double squares = 0;  // of errors in units of the jackknife's
  constexpr uint64_t kSeeds = 8;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const LaunchTimeFit fit(40, replay_graphs(known, {}, seed));
    const double error = fit.times().seconds[kNoisy + 1] - known.times.seconds[kNoisy + 1];
    squares += std::pow(error / errors_of(fit, Study{}.graphs).seconds[kNoisy + 1], 2) / kSeeds;
  }
  EXPECT_LT(squares, 4);
}

TEST(LaunchTimeFit, FindsTheTimesOfOneOrTwoLaunches) {
  for (const size_t launches : {1, 2}) {
    const KnownLaunches known = draw_launches(launches, 20e-9, 4);
    const LaunchTimeFit fit(launches, replay_graphs(known, {.iterations = 40}, 4));
    const FittedTimes times = fit.times();
    ASSERT_EQ(times.seconds.size(), launches);
    const Errors errors = errors_of(fit, Study{}.graphs);
    EXPECT_EQ(count_within(times.seconds, known.times.seconds, errors.seconds, 4), launches);
    for (size_t i = 0; i < launches; ++i) {
      EXPECT_NEAR(times.seconds[i], known.times.seconds[i], 2e-9);
      EXPECT_NEAR(times.stamp_cost_s[i], known.times.stamp_cost_s[i], 5e-9);
    }
  }
}

TEST(LaunchTimeFit, JoinedLaunchesShareTheirTimeEvenly) {
  KnownLaunches known = draw_launches(24, 20e-9, 5);
  known.may_stamp[7] = known.may_stamp[8] = false;  // so that 7, 8 and 9 always go together
  const LaunchTimeFit fit(24, replay_graphs(known, {}, 5));
  const FittedTimes times = fit.times();
  const double together = known.times.seconds[7] + known.times.seconds[8] + known.times.seconds[9];
  for (const size_t i : {7, 8, 9}) EXPECT_NEAR(times.seconds[i], together / 3, 5e-9) << i;
  EXPECT_NEAR(times.seconds[7], times.seconds[9], 1e-10);
  EXPECT_NEAR(times.stamp_cost_s[7], median(known.times.stamp_cost_s), 0.2e-6);  // no stamp ever came there
  EXPECT_NEAR(times.seconds[6], known.times.seconds[6], 10e-9);
  EXPECT_NEAR(times.seconds[10], known.times.seconds[10], 10e-9);
}

// In graphs of one iteration, the first launch is only in the first stretch.
TEST(LaunchTimeFit, AStampThatEveryGraphBeginsWithCostsWhatIsTypical) {
  KnownLaunches known = draw_launches(50, 20e-9, 8);
  std::fill(known.times.stamp_cost_s.begin(), known.times.stamp_cost_s.end(), 1.2e-6);
  const LaunchTimeFit fit(50, replay_graphs(known, {.iterations = 1}, 8));
  const FittedTimes times = fit.times();
  EXPECT_NEAR(times.stamp_cost_s[49], 1.2e-6, 30e-9);
  EXPECT_NEAR(times.seconds[0], known.times.seconds[0], 30e-9);
  const double deviation = errors_of(fit, Study{}.graphs).sum;
  EXPECT_NEAR(sum(times.seconds), sum(known.times.seconds), 4 * deviation + 20e-9);
}

TEST(LaunchTimeFit, ALaunchThatTakesDoubleShiftsTheSumByThatMuch) {
  const KnownLaunches known = draw_launches(50, 20e-9, 6);
  KnownLaunches doubled = known;
  doubled.times.seconds[17] *= 2;
  const FittedTimes times = LaunchTimeFit(50, replay_graphs(known, {}, 6)).times();
  const FittedTimes shifted = LaunchTimeFit(50, replay_graphs(doubled, {}, 6)).times();
  EXPECT_NEAR(sum(shifted.seconds) - sum(times.seconds), known.times.seconds[17], 20e-9);
  EXPECT_NEAR(shifted.seconds[17], 2 * known.times.seconds[17], 20e-9);
}

TEST(LaunchTimeFit, CanLeaveGraphsOut) {
  const KnownLaunches known = draw_launches(10, 20e-9, 7);
  const std::vector<StampedGraph> graphs = replay_graphs(known, {.graphs = 10}, 7);
  const LaunchTimeFit fit(10, graphs);
  std::vector<bool> used(10, true);
  used[3] = false;
  EXPECT_EQ(fit.times_of(std::vector<bool>(10, true)).seconds, fit.times().seconds);
  EXPECT_NE(fit.times_of(used).seconds, fit.times().seconds);
  EXPECT_THROW(fit.times_of({true}), Error);
  EXPECT_THROW(fit.times_of(std::vector<bool>(10, false)), Error);
}

TEST(LaunchTimeFit, RefusesWhatSaysNothing) {
  const std::vector<StampedGraph> good{{{0, 1}, {1e-6}, {0}}};
  EXPECT_NO_THROW(LaunchTimeFit(1, good));
  EXPECT_THROW(LaunchTimeFit(0, good), Error);
  EXPECT_THROW(LaunchTimeFit(1, {}), Error);
  EXPECT_THROW(LaunchTimeFit(1, {{{3}, {}, {}}}), Error);
  EXPECT_THROW(LaunchTimeFit(1, {{{0, 1}, {}, {}}}), Error);
  EXPECT_THROW(LaunchTimeFit(1, {{{1, 1}, {1e-6}, {0}}}), Error);
  EXPECT_THROW(LaunchTimeFit(1, {{{0, 1}, {NAN}, {0}}}).times(), Error);
}

}  // namespace
}  // namespace kjoule
