#include "power/idle_profile.hpp"

#include <gtest/gtest.h>

#include <random>

namespace kjoule {
namespace {

constexpr double kDuration_s = 60;

/// Returns 600 points within a minute around 120 W, with noise of 2 W.
std::vector<PowerPoint> noisy(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(120, 2);
  std::vector<PowerPoint> points;
  for (int i = 0; i < 600; ++i) points.push_back({int64_t{i} * 100'000'000, noise(random)});
  return points;
}

TEST(ProfileIdle, TheIntervalContainsTheMeanInNineOfTenMinutes) {
  int inside = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    const auto profile = profile_idle(noisy(seed), {}, kDuration_s);
    ASSERT_TRUE(profile->low_w.has_value());
    inside += *profile->low_w <= 120 && 120 <= *profile->high_w;
  }
  EXPECT_GE(inside, 90);
  const IdleProfile profile = profile_idle(noisy(1), {}, kDuration_s).value();
  EXPECT_EQ(profile.points, 600U);
  EXPECT_EQ(profile.blocks, 10U);
  EXPECT_NEAR(profile.spread_w, 2, 0.2);
  EXPECT_LT(profile.least_w, 116);
  EXPECT_GT(profile.most_w, 124);
}

TEST(ProfileIdle, BlocksAreSeveralAveragingTimesLong) {
  MeterFacts slow;
  slow.averaging_s = 10;
  const IdleProfile profile = profile_idle(noisy(1), slow, kDuration_s).value();
  EXPECT_GT(profile.block_s, 10);
  EXPECT_LT(profile.blocks, 10U);
}

TEST(ProfileIdle, AMeterThatStandsStillHasNoInterval) {
  std::vector<PowerPoint> points;
  for (int i = 0; i < 600; ++i) points.push_back({int64_t{i} * 100'000'000, 50});
  const IdleProfile profile = profile_idle(points, {}, kDuration_s).value();
  EXPECT_TRUE(profile.stands_still());
  EXPECT_FALSE(profile.low_w);
  EXPECT_FALSE(profile_idle({}, {}, kDuration_s)) << "no points, no profile";
}

}  // namespace
}  // namespace kjoule
