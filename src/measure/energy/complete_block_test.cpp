#include "measure/energy/complete_block.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kjoule {
namespace {

/// Returns the energy of the same work at this clock, divided by its energy at 1 GHz.
double at_clock(double clock_hz) {
  return std::pow(clock_hz / 1e9, 1.2);
}

/// Returns a reading of work that consumes 500 W at 1 GHz.
SteadyReading reading_at(double clock_hz, double repeat_s) {
  SteadyReading reading;
  reading.repeat_s = repeat_s;
  reading.clock_hz = clock_hz;
  reading.mean_w = {500 * at_clock(clock_hz)};
  return reading;
}

EnergyBlock block_at(double with_hz, double without_hz) {
  EnergyBlock block;
  block.whole = reading_at(1e9, 10e-3);
  for (int i = 0; i < 2; ++i) block.with.push_back(reading_at(with_hz, 1.2e-3));
  for (int i = 0; i < 2; ++i) block.without.push_back(reading_at(without_hz, 1e-3));
  return block;
}

TEST(CompleteBlocks, BringReadingsToTheClockOfTheWhole) {
  const double true_j = 500 * 0.2e-3;
  const auto same = complete_blocks({block_at(1e9, 1e9)}, {0, 100});
  EXPECT_NEAR(same.at(0).difference(&RepeatEnergy::joules), true_j, 1e-9);
  EXPECT_NEAR(same.at(0).for_clocks_j(), 0, 1e-12);
  const auto other = complete_blocks({block_at(1.02e9, 1.1e9)}, {0, 100});
  EXPECT_NEAR(other.at(0).difference(&RepeatEnergy::joules), true_j, 1e-9);
  EXPECT_NEAR(other.at(0).for_clocks_j(),
              500 * ((at_clock(1.02e9) - 1) * 1.2e-3 - (at_clock(1.1e9) - 1) * 1e-3), 1e-9);
  EXPECT_NEAR(other.at(0).difference(&RepeatEnergy::seconds), 0.2e-3, 1e-12) << "times are kept";
}

TEST(CompleteBlocks, UseTheMeanClockOfTheWholesAroundThem) {
  std::vector<EnergyBlock> blocks{block_at(1.05e9, 1.05e9), block_at(1e9, 1e9)};
  blocks[1].whole = reading_at(1.1e9, 10e-3);
  const auto complete = complete_blocks(blocks, {0, 100});
  EXPECT_NEAR(complete.at(0).for_clocks_j(), 0, 1e-12);
  EXPECT_NEAR(complete.at(0).around.joules, 500 * (1 + at_clock(1.1e9)) / 2 * 10e-3, 1e-9);
  EXPECT_NEAR(complete.at(1).around.joules, 500 * at_clock(1.1e9) * 10e-3, 1e-9)
      << "the last block has no whole after it";
}

TEST(CompleteBlocks, KeepReadingsOfUnknownClock) {
  EnergyBlock block = block_at(1.2e9, 1.2e9);
  block.whole.clock_hz.reset();
  const auto complete = complete_blocks({block}, {0, 100});
  EXPECT_NEAR(complete.at(0).difference(&RepeatEnergy::joules), 500 * at_clock(1.2e9) * 0.2e-3, 1e-9);
}

TEST(CompleteBlocks, LeaveOutThoseOfWhichAReadingLacks) {
  EnergyBlock lacking = block_at(1e9, 1e9);
  lacking.without.front().mean_w.front().reset();
  EXPECT_EQ(complete_blocks({lacking, block_at(1e9, 1e9)}, {0, 100}).size(), 1U);
  EXPECT_TRUE(complete_blocks({block_at(1e9, 1e9)}, {1, 100}).empty()) << "a second meter that was not read";
}

}  // namespace
}  // namespace kjoule
