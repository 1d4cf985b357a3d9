#include "logged/group_energy.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

/// A block of `runs` iterations of `each_s` seconds at a power, whose energy is known to 1 %.
LoggedIterations block(double each_s, double watts, int64_t runs = 100) {
  LoggedIterations iterations;
  const double seconds = each_s * static_cast<double>(runs);
  iterations.logged.energy.window = {0, static_cast<int64_t>(seconds * 1e9)};
  iterations.logged.energy.samples = 20;
  iterations.logged.energy.joules = Interval{watts * seconds, 0.01 * watts * seconds};
  iterations.logged.energy.average_w = watts;
  iterations.logged.runs = runs;
  iterations.each_s = each_s;
  return iterations;
}

TEST(EnergyOfDifference, IsThatOfTheLaunchesThatAreMissing) {
  // An iteration takes 3 J with the launches, and 1.6 J without them.
  const TimedEnergy launches = energy_of_difference({block(0.01, 300)}, {block(0.008, 200)}, 0.002);
  EXPECT_NEAR(launches.energy.joules->value, 100 * 1.4, 1e-9);
  EXPECT_NEAR(launches.energy.joules->half_width, 100 * std::hypot(0.03, 0.016), 1e-9);
  EXPECT_NEAR(launches.energy.average_w, 1.4 / 0.002, 1e-9);
}

TEST(EnergyOfDifference, CountsTimeThatOthersTakeAtThePowerOfTheIteration) {
  // The launches take 3 ms in context, but iterations without them are only 2 ms shorter.
  const TimedEnergy launches = energy_of_difference({block(0.01, 300)}, {block(0.008, 200)}, 0.003);
  EXPECT_NEAR(launches.energy.joules->value, 100 * (1.4 + 300 * 0.001), 1e-9);
  EXPECT_NEAR(launches.energy.joules->half_width, 100 * std::hypot(0.03, 0.016, 0.3), 1e-9);
}

TEST(EnergyOfDifference, ContainsHowMuchBlocksOfOneKindDiffer) {
  const auto half_width = [](double watts) {
    return energy_of_difference({block(0.01, 300), block(0.01, watts)}, {block(0.008, 200)}, 0.002)
        .energy.joules->half_width;
  };
  EXPECT_GT(half_width(320), half_width(300) + 100 * 0.09);
}

TEST(EnergyOfDifference, IsMissingIfABlockIsOrTheLaunchesTakeNoTime) {
  LoggedIterations silent = block(0.008, 200);
  silent.logged.energy.joules.reset();
  silent.logged.energy.missing = "the log ends within it";
  const TimedEnergy launches = energy_of_difference({block(0.01, 300)}, {silent}, 0.002);
  EXPECT_FALSE(launches.energy.joules);
  EXPECT_EQ(launches.energy.missing, "the log ends within it");
  EXPECT_EQ(energy_of_difference({block(0.01, 300)}, {block(0.011, 300)}, {}).energy.missing,
            "the iterations without its group's launches are not shorter than those with them");
}

}  // namespace
}  // namespace kjoule
