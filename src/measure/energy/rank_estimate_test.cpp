// The estimate of a rank that waits for other ranks, from readings of an iteration of 1 ms: kernels take 0.4
// ms at 400 W, collectives move data for 0.3 ms at 300 W, and the rank waits in them for 0.3 ms at the power
// of pauses, 150 W.
#include <gtest/gtest.h>

#include "measure/energy/energy_estimate.hpp"

namespace kjoule {
namespace {

constexpr double kRankKernels_j = 0.16, kRankMoving_j = 0.09, kRankWaiting_j = 0.045;
constexpr double kRankWhole_j = kRankKernels_j + kRankMoving_j + kRankWaiting_j;
constexpr double kRankWaiting_s = 0.3e-3, kRankPause_w = 150;

SteadyReading rank_reading(double joules, double seconds) {
  SteadyReading one;
  one.repeat_s = seconds;
  one.mean_w = {joules / seconds};
  return one;
}

EnergyBlock rank_block(int number, int group, const SteadyReading& without) {
  const SteadyReading whole = rank_reading(kRankWhole_j, 1e-3);
  EnergyBlock one;
  one.number = number;
  one.group = group;
  one.whole = whole;
  one.with = {whole, whole};
  one.without = {without, without};
  return one;
}

EnergyPlan plan_of_rank() {
  EnergyPlan plan;
  plan.groups = {{{0}, {0}, 0.4e-3}, {{1}, {1}, 0.6e-3}};
  plan.iteration_s = 1e-3;
  plan.iterations = 1;
  plan.paused = {rank_reading(kRankPause_w * 1e-3, 1e-3)};
  plan.meters = {nlohmann::json::object()};
  return plan;
}

/// All ranks leave out the kernels, so that this rank does not wait any more; then the collectives, so that
/// it waits in a meeting; then all launches.
std::vector<EnergyBlock> blocks_of_rank() {
  return {rank_block(0, 0, rank_reading(kRankMoving_j, 0.3e-3)),
          rank_block(1, 1, rank_reading(kRankKernels_j + kRankWaiting_j, 0.7e-3)),
          rank_block(2, 2, rank_reading(kRankPause_w * 1e-9, 1e-9))};
}

TEST(RankEstimate, TheWholeContainsTheWaiting) {
  const auto estimate = estimate_energy(plan_of_rank(), blocks_of_rank(), 0);
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->whole_j.value, kRankWhole_j, 1e-9);
  EXPECT_NEAR(estimate->sum_j.value, kRankWhole_j, 1e-6);
}

TEST(RankEstimate, TheIntervalContainsAnyPowerOfTheWaiting) {
  EnergyPlan plan = plan_of_rank();
  plan.waiting_s = kRankWaiting_s;
  const auto estimate = estimate_energy(plan, blocks_of_rank(), 0);
  ASSERT_TRUE(estimate);
  const double most_j =
      kRankWaiting_s * (kRankWhole_j / 1e-3 - kRankPause_w);  // if it consumed the power of the whole
  EXPECT_NEAR(estimate->sum_j.value, kRankWhole_j - most_j / 2, 1e-6);
  EXPECT_GT(estimate->sum_j.half_width, most_j / 2);
  EXPECT_NEAR(estimate->groups[0].joules.value / estimate->groups[1].joules.value,
              kRankKernels_j / (kRankMoving_j + kRankWaiting_j), 1e-6)
      << "the waiting belongs to the collectives";
}

TEST(RankEstimate, OfTheWholeAlone) {
  EnergyWholes wholes;
  wholes.readings = {rank_reading(0.294, 1e-3), rank_reading(0.295, 1e-3), rank_reading(0.296, 1e-3)};
  const auto energy = estimate_whole(plan_of_rank(), wholes, 0);
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->joules.value, 0.295, 1e-9);
  EXPECT_NEAR(energy->watts.value, 295, 1e-6);
  EXPECT_GT(energy->joules.half_width, 0.001);
  EXPECT_FALSE(estimate_whole(plan_of_rank(), {}, 0));
  EXPECT_FALSE(estimate_whole(plan_of_rank(), wholes, 1)) << "no such meter";
}

}  // namespace
}  // namespace kjoule
