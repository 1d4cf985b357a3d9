#include "measure/estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "measure/rounds.hpp"
#include "simulated/device.hpp"
#include "simulated/truth.hpp"

namespace kjoule {
namespace {

struct Measured {
  SimulatedDevice device;
  KernelTable table;
  std::vector<Round> rounds;
  Stopped stopped = Stopped::precise;

  Measured(const std::string& spec, RoundOptions options) : device(parse_simulated_spec(spec)) {
    table = kernel_table(device.record());
    device.begin_round(-1);
    const size_t launches = table.kernel_of.size();
    const RoundPlan plan = make_plan(device, launches, {}, options.window);
    stopped = measure_rounds(
        device, device.clock(), launches, {}, plan, options, rounds, [](const Round&) {}, *silent_progress());
  }
};

/// Both kinds of edges, caches smaller and larger than the program, drift and noise: seeds 1 to 12.
class OnSimulatedPrograms : public testing::TestWithParam<std::tuple<int, const char*>> {};

TEST_P(OnSimulatedPrograms, RecoversTheWholeAndEachKernel) {
  const auto [seed, edges] = GetParam();
  Measured measured("seed=" + std::to_string(seed) + ",edges=" + edges, {0.003, 10, 0});
  const SumEstimate sum = estimate(measured.table, measured.rounds);
  EXPECT_NEAR(sum.sum_s.value / sum.whole_s.value, 1, 0.01);
  const Truth truth = truth_of(measured.device.program());
  const std::vector<double> kernels = truth.kernel_s(measured.table);
  double apart = 0;
  for (size_t k = 0; k < kernels.size(); ++k)
    apart += std::abs(sum.kernels[k].total_s.value / sum.whole_s.value - kernels[k] / truth.whole_s);
  EXPECT_LT(apart, 0.02) << "share-weighted, over all kernels";
}

INSTANTIATE_TEST_SUITE_P(Seeds, OnSimulatedPrograms,
                         testing::Combine(testing::Range(1, 13), testing::Values("draining", "clean")));

TEST(Estimate, AloneKernelsAreWrongSoThatTheCheckCanFail) {
  Measured measured("seed=3", {0.003, 10, 0});
  for (Round& round : measured.rounds)
    for (double& seconds : round.in_context_s) seconds *= 1.25;
  const SumEstimate sum = estimate(measured.table, measured.rounds);
  EXPECT_GT(sum.sum_s.value - sum.sum_s.half_width, 1.15 * sum.whole_s.value);
}

TEST(Estimate, ItsIntervalNeverSeesHowFarTheSumIsFromTheWhole) {
  const Measured measured("seed=7", {0.01, 2, 0});
  std::vector<Round> longer = measured.rounds;
  for (Round& round : longer)
    for (double& seconds : round.in_context_s) seconds *= 3;
  const SumEstimate sum = estimate(measured.table, measured.rounds);
  const SumEstimate off = estimate(measured.table, longer);
  EXPECT_NEAR(off.sum_s.half_width / off.sum_s.value, sum.sum_s.half_width / sum.sum_s.value, 0.0003);
}

TEST(Estimate, WindowsThatDifferWidenTheInterval) {
  const Measured measured("seed=7", {0.01, 2, 0});
  std::vector<Round> apart = measured.rounds;
  for (Round& round : apart)
    for (double& seconds : round.in_context_s) seconds *= 1 + 0.01 * (round.window - 7);
  const SumEstimate sum = estimate(measured.table, measured.rounds);
  const SumEstimate wide = estimate(measured.table, apart);
  ASSERT_GT(wide.trials.size(), 2u);
  EXPECT_GT(wide.relative_half_width(), 0.02);
  EXPECT_GT(wide.sum_s.half_width, 3 * sum.sum_s.half_width);
  EXPECT_NEAR(wide.scatter_s, sum.scatter_s, 0.3 * sum.scatter_s);
}

TEST(MeasureRounds, SaysWhyItStopped) {
  EXPECT_EQ(Measured("seed=5", {0.02, 20, 0}).stopped, Stopped::precise);
  const Measured hurried("seed=5,noise=0.3", {0.0001, 0.5, 2});
  EXPECT_EQ(hurried.stopped, Stopped::time_limit);
  EXPECT_GE(hurried.rounds.size(), 2u);
  const Measured apart("seed=7,noise=0.001", {0.00005, 20, 0});
  EXPECT_EQ(apart.stopped, Stopped::windows_differ);
}

TEST(MeasureRounds, GoesOnFromCompleteRounds) {
  const RoundOptions options{0.002, 3, 0};
  const Measured uninterrupted("seed=9", options);
  ASSERT_GT(uninterrupted.rounds.size(), 5u);
  std::vector<Round> rounds(uninterrupted.rounds.begin(), uninterrupted.rounds.begin() + 4);
  SimulatedDevice fresh(parse_simulated_spec("seed=9"));
  fresh.record();
  fresh.begin_round(-1);
  const RoundPlan plan = make_plan(fresh, uninterrupted.table.kernel_of.size(), {}, 0);
  fresh.clock().set_ns(rounds.back().end_ns);
  measure_rounds(
      fresh, fresh.clock(), uninterrupted.table.kernel_of.size(), {}, plan, options, rounds,
      [](const Round&) {}, *silent_progress());
  ASSERT_EQ(rounds.size(), uninterrupted.rounds.size());
  for (size_t r = 0; r < rounds.size(); ++r)
    EXPECT_EQ(to_row(rounds[r]), to_row(uninterrupted.rounds[r])) << r;
}

TEST(Estimate, NeedsTwoRounds) {
  Measured measured("seed=5", {0.5, 0.1, 2});
  measured.rounds.resize(1);
  EXPECT_THROW(estimate(measured.table, measured.rounds), Error);
}

TEST(MeasureRounds, KeepsTheClocksWhereTheDeviceTells) {
  const Measured told("seed=5", {0.5, 0.1, 2});
  for (const Round& round : told.rounds) {
    const Round back = round_from_row(to_row(round));
    EXPECT_EQ(back.whole_clock_hz, round.whole_clock_hz);
    EXPECT_NEAR(back.whole_clock_hz.value() / back.sweep_clock_hz.value(), 1, 0.01);
  }
  EXPECT_NEAR(estimate(told.table, told.rounds).whole_clock_hz.value(), 1.755e9, 0.2 * 1.755e9);
  const Measured untold("seed=5,edges=clean", {0.5, 0.1, 1});
  EXPECT_FALSE(to_row(untold.rounds.front()).contains("whole_clock_hz"));
  EXPECT_FALSE(round_from_row(to_row(untold.rounds.front())).sweep_clock_hz.has_value());
  EXPECT_FALSE(estimate(untold.table, untold.rounds).sweep_clock_hz.has_value());
}

TEST(Round, RefusesARowWithoutItsFields) {
  EXPECT_THROW(round_from_row({{"kind", "round"}, {"round", 1}}), Error);
}

}  // namespace
}  // namespace kjoule
