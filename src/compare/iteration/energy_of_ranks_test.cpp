#include "compare/iteration/energy_of_ranks.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

RankResult rank_with(const Interval& whole_j, const Interval& sum_j, const char* scope) {
  RankResult rank;
  EnergyResult& energy = rank.energy.emplace();
  energy.estimate.whole_j = whole_j;
  energy.estimate.sum_j = sum_j;
  energy.estimate.whole_w = {10 * whole_j.value, 10 * whole_j.half_width};
  energy.idle_w = 70;
  energy.meters.push_back({{{"scope", scope}}, whole_j});
  return rank;
}

TEST(EnergyOfRanks, AddsEnergiesAndHalfWidths) {
  const auto all =
      energy_of_all({rank_with({2, 0.1}, {2.1, 0.2}, "GPU"), rank_with({3, 0.2}, {3, 0.1}, "GPU")});
  ASSERT_TRUE(all);
  EXPECT_DOUBLE_EQ(all->estimate.whole_j.value, 5);
  EXPECT_DOUBLE_EQ(all->estimate.whole_j.half_width, 0.1 + 0.2);
  EXPECT_DOUBLE_EQ(all->estimate.sum_j.value, 5.1);
  EXPECT_DOUBLE_EQ(all->estimate.sum_j.half_width, 0.2 + 0.1);
  EXPECT_DOUBLE_EQ(all->estimate.whole_w.value, 50);
  EXPECT_DOUBLE_EQ(all->idle_w.value(), 140);
}

TEST(EnergyOfRanks, OfTheMachineContainsAllRanks) {
  RankResult other;
  other.rank = "rank 1";
  const auto all = energy_of_all({rank_with({9, 1}, {9, 1}, "whole system"), other});
  ASSERT_TRUE(all);
  EXPECT_DOUBLE_EQ(all->estimate.whole_j.value, 9);
  EXPECT_TRUE(all->missing.empty());
}

TEST(EnergyOfRanks, IsMissingIfThatOfARankIsMissing) {
  RankResult other = rank_with({3, 0.2}, {3, 0.1}, "GPU");
  other.energy->missing = "the counter stands still";
  EXPECT_EQ(energy_of_all({rank_with({2, 0.1}, {2, 0.1}, "GPU"), other})->missing,
            "the counter stands still");
  other.energy.reset();
  other.rank = "rank 1";
  EXPECT_EQ(energy_of_all({rank_with({2, 0.1}, {2, 0.1}, "GPU"), other})->missing,
            "the energy of rank 1 was not measured");
  EXPECT_FALSE(energy_of_all({}));
}

}  // namespace
}  // namespace kjoule
