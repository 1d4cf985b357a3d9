#include "measure/energy/replaced_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "measure/energy/energy_estimate.hpp"

namespace kjoule {
namespace {

/// Energy (J) and time (s) of two groups of launches, of copies of the data that they write, of writing these
/// data back to memory, and of restoring memory.
constexpr RepeatEnergy kGroups[] = {{0.30, 0.6e-3}, {0.20, 0.3e-3}},
                       kCopiesOf[] = {{0.05, 0.2e-3}, {0.08, 0.3e-3}}, kWrittenBack{0.04, 0.1e-3},
                       kRestored{0.02, 0.05e-3};

RepeatEnergy operator+(const RepeatEnergy& one, const RepeatEnergy& other) {
  return {one.joules + other.joules, one.seconds + other.seconds};
}

RepeatEnergy operator-(const RepeatEnergy& one, const RepeatEnergy& other) {
  return {one.joules - other.joules, one.seconds - other.seconds};
}

const RepeatEnergy kWholeOfTwo = kGroups[0] + kGroups[1] + kWrittenBack;

/// Returns a block of a group, or of both if `group` is 2. In each iteration, the data are written back once,
/// whether launches or copies write them. `saved` is energy and time that the copies of both groups save in
/// one iteration.
CompleteBlock block_of_group(int group, const RepeatEnergy& saved = {}) {
  const RepeatEnergy launches = group < 2 ? kGroups[group] : kGroups[0] + kGroups[1];
  const RepeatEnergy copies = group < 2 ? kCopiesOf[group] : kCopiesOf[0] + kCopiesOf[1] - saved;
  const RepeatEnergy with = kRestored + kWholeOfTwo + copies;
  return {group, kWholeOfTwo, kWholeOfTwo, {with, with}, {with - launches, with - launches}, 0, 0};
}

std::vector<RepeatEnergy> wholes_around(size_t blocks) {
  return std::vector<RepeatEnergy>(blocks, kWholeOfTwo);
}

TEST(ReplacedSum, HoldsWhatIsWrittenBack) {
  const std::vector<CompleteBlock> blocks{block_of_group(0), block_of_group(1), block_of_group(2),
                                          block_of_group(0)};
  double by_differences = 0;
  for (int group = 0; group < 2; ++group)
    by_differences += block_of_group(group).difference(&RepeatEnergy::joules) / kWholeOfTwo.joules;
  EXPECT_NEAR(by_differences, 1 - kWrittenBack.joules / kWholeOfTwo.joules, 1e-9);
  const auto sum = replaced_sum(blocks, wholes_around(blocks.size()), kRestored, 2);
  ASSERT_TRUE(sum.has_value());
  EXPECT_NEAR(sum->sum.joules, 1, 1e-9);
  EXPECT_NEAR(sum->sum.seconds, 1, 1e-9);
  EXPECT_NEAR(sum->displaced.joules, 0, 1e-9);
  EXPECT_NEAR(sum->displaced.seconds, 0, 1e-9);
}

TEST(ReplacedSum, TellsWhatCopiesSaveTogetherAndWhatClocksMade) {
  std::vector<CompleteBlock> blocks{block_of_group(0), block_of_group(1), block_of_group(2, {0.03, 0.1e-3})};
  blocks[0].without_for_clocks_j = 0.02;
  blocks[2].without_for_clocks_j = 0.005;
  const auto sum = replaced_sum(blocks, wholes_around(blocks.size()), kRestored, 2);
  ASSERT_TRUE(sum.has_value());
  EXPECT_NEAR(sum->displaced.joules, 0.03 / kWholeOfTwo.joules, 1e-9);
  EXPECT_NEAR(sum->displaced.seconds, 0.1e-3 / kWholeOfTwo.seconds, 1e-9);
  EXPECT_NEAR(sum->for_clocks, 0.025 / kWholeOfTwo.joules, 1e-9);
}

TEST(ReplacedSum, NeedsSeveralGroupsAndBlocksOfAll) {
  const std::vector<CompleteBlock> lacking{block_of_group(0), block_of_group(1)};
  EXPECT_FALSE(replaced_sum(lacking, wholes_around(2), kRestored, 2).has_value());
  EXPECT_FALSE(
      replaced_sum({block_of_group(0), block_of_group(2)}, wholes_around(2), kRestored, 2).has_value());
  const std::vector<CompleteBlock> one{block_of_group(0), block_of_group(1)};
  EXPECT_FALSE(replaced_sum(one, wholes_around(2), kRestored, 1).has_value());
}

TEST(ReplacedSum, HasTheErrorsOfTheWholes) {
  const std::vector<CompleteBlock> blocks{block_of_group(0), block_of_group(1), block_of_group(2),
                                          block_of_group(0)};
  const auto sum = replaced_sum(blocks, wholes_around(blocks.size()), kRestored, 2);
  ASSERT_TRUE(sum.has_value());
  double variance = 0;
  for (const auto& [group, readings] : {std::pair{0, 2}, {1, 1}, {2, 1}}) {
    const double share =
        (block_of_group(group).without.front().joules - kRestored.joules) / kWholeOfTwo.joules;
    variance += share * share / (2 * readings);
  }
  EXPECT_NEAR(sum->error_of_wholes, std::sqrt(variance), 1e-9);
}

SteadyReading reading_of(const RepeatEnergy& repeat) {
  SteadyReading reading;
  reading.repeat_s = repeat.seconds;
  reading.mean_w = {repeat.joules / repeat.seconds};
  return reading;
}

EnergyBlock energy_block_of(const CompleteBlock& complete) {
  EnergyBlock block;
  block.number = block.group = complete.group;
  block.whole = reading_of(kWholeOfTwo + kRestored);
  for (const RepeatEnergy& repeat : complete.with) block.with.push_back(reading_of(repeat));
  for (const RepeatEnergy& repeat : complete.without) block.without.push_back(reading_of(repeat));
  return block;
}

EnergyPlan plan_of_two() {
  EnergyPlan plan;
  plan.iterations = 1;
  plan.iteration_s = kWholeOfTwo.seconds;
  plan.groups = {{{0}, {0}, 0.66e-3}, {{1}, {1}, 0.34e-3}};
  plan.restoring = {reading_of(kRestored)};
  return plan;
}

std::vector<EnergyBlock> blocks_of_two() {
  std::vector<EnergyBlock> blocks;
  for (const int group : {0, 1, 2}) blocks.push_back(energy_block_of(block_of_group(group)));
  return blocks;
}

TEST(EstimateEnergy, HasNoIntervalIfTheWholeWasReadOnce) {
  EnergyPlan plan = plan_of_two();
  plan.groups = {{{0, 1}, {0, 1}, 1e-3}};
  EnergyBlock block = energy_block_of(block_of_group(2));
  block.number = block.group = 0;
  const auto energy = estimate_energy(plan, {block}, 0);
  ASSERT_TRUE(energy.has_value());
  EXPECT_TRUE(std::isfinite(energy->sum_j.value));
  for (const Interval& interval :
       {energy->whole_j, energy->whole_w, energy->sum_j, energy->sum_w, energy->groups.front().joules})
    EXPECT_TRUE(std::isinf(interval.half_width));
}

TEST(EstimateEnergy, FindsTheWholeWhereTheDifferencesLackWhatIsWrittenBack) {
  const EnergyPlan plan = plan_of_two();
  std::vector<EnergyBlock> blocks = blocks_of_two();
  const auto energy = estimate_energy(plan, blocks, 0);
  ASSERT_TRUE(energy.has_value());
  EXPECT_NEAR(energy->sum_j.value / kWholeOfTwo.joules, 1, 0.001);
  EXPECT_LT(energy->relative_half_width(), 0.012);
  EXPECT_NEAR(energy->groups[0].joules.value + energy->groups[1].joules.value, energy->sum_j.value, 1e-9);
  blocks.pop_back();
  const auto by_differences = estimate_energy(plan, blocks, 0);
  ASSERT_TRUE(by_differences.has_value());
  EXPECT_GT(by_differences->relative_half_width(), 0.05) << "missing time is the only sign of it then";
}

TEST(EstimateEnergy, IsLessCertainIfBothMeasurementsOfTheSumDiffer) {
  std::vector<EnergyBlock> blocks = blocks_of_two();
  blocks.back() = energy_block_of(block_of_group(2, {0.08, 0}));  // its copies take less energy
  const auto energy = estimate_energy(plan_of_two(), blocks, 0);
  ASSERT_TRUE(energy && energy->by_replacement_j);
  EXPECT_LT(energy->by_replacement_j->value, energy->by_differences_j.value - 0.02);
  EXPECT_LT(energy->by_replacement_j->value, energy->sum_j.value);
  EXPECT_LT(energy->sum_j.value, energy->by_differences_j.value);
  const auto agreeing = estimate_energy(plan_of_two(), blocks_of_two(), 0);
  EXPECT_GT(energy->sum_j.half_width, agreeing->sum_j.half_width + 0.04);
}

TEST(EstimateEnergy, DoesNotReplaceWhereEachIterationFlushesTheCaches) {
  EnergyPlan plan = plan_of_two();
  plan.cold = true;
  EXPECT_EQ(pairs_of(plan), 2U);
  const auto energy = estimate_energy(plan, blocks_of_two(), 0);
  ASSERT_TRUE(energy.has_value());
  EXPECT_FALSE(energy->by_replacement_j.has_value());
}

TEST(EstimateEnergy, TakesOffTheWorkThatLaunchesDoLongerAmongCopies) {
  std::vector<EnergyBlock> blocks = blocks_of_two();
  const RepeatEnergy longer{0.15, 0.2e-3};  // of each iteration among copies, by launches that miss the cache
  for (EnergyBlock& block : blocks) {
    for (SteadyReading& reading : block.with) {
      const RepeatEnergy repeat{*reading.mean_w.front() * reading.repeat_s, reading.repeat_s};
      reading = reading_of(repeat + longer);
    }
  }
  const auto energy = estimate_energy(plan_of_two(), blocks, 0);
  ASSERT_TRUE(energy.has_value());
  const double added_j = 2 * longer.joules - kWrittenBack.joules;  // of the differences of both groups
  EXPECT_NEAR(energy->by_differences_j.value - kWholeOfTwo.joules, 0, 0.3 * added_j);
}

}  // namespace
}  // namespace kjoule
