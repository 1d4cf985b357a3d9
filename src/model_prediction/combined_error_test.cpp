#include "model_prediction/combined_error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace kjoule {
namespace {

TEST(CombinedError, AddsErrorsOfOneSourceAndSquaresOfDifferentSources) {
  CombinedError error;
  error.add("a", 2, {10, 9, 12});
  error.add("a", 1, {10, 9, 12});
  error.add("b", 4, {1, 0, 3});
  const Estimate sum = error.sum();
  EXPECT_DOUBLE_EQ(sum.value, 34);
  EXPECT_DOUBLE_EQ(sum.low, 34 - 5);    // 3 and 4
  EXPECT_DOUBLE_EQ(sum.high, 34 + 10);  // 6 and 8
}

TEST(CombinedError, IsNotBelowZero) {
  CombinedError error;
  error.add("a", 10, {1, -1, 2});
  EXPECT_DOUBLE_EQ(error.sum().low, 0);
}

/// Returns the share of 20,000 sums whose true value is in the interval, if 5 sources have 20 calls each.
/// `common` is the share of the variance that all calls of a source have in common.
double covered_share(double common) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  constexpr double kSpread = 0.05, kHalfWidth = 1.645 * kSpread;
  int covered = 0;
  constexpr int kSums = 20000;
  for (int i = 0; i < kSums; ++i) {
    CombinedError error;
    double truth = 0;
    for (int source = 0; source < 5; ++source) {
      const double shared = normal(random);
      for (int call = 0; call < 20; ++call) {
        const double deviation = std::sqrt(common) * shared + std::sqrt(1 - common) * normal(random);
        truth += 1 + kSpread * deviation;
        error.add("source " + std::to_string(source), 1, {1, 1 - kHalfWidth, 1 + kHalfWidth});
      }
    }
    const Estimate sum = error.sum();
    covered += truth >= sum.low && truth <= sum.high;
  }
  return static_cast<double>(covered) / kSums;
}

TEST(CombinedError, CoversNineOfTenSumsIfAllCallsOfASourceHaveTheSameError) {
  EXPECT_NEAR(covered_share(1), 0.9, 0.01);
}

TEST(CombinedError, CoversMoreIfTheErrorsOfCallsDiffer) {
  EXPECT_GT(covered_share(0.3), 0.99);
}

}  // namespace
}  // namespace kjoule
