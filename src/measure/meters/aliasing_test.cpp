#include "measure/meters/aliasing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace kjoule {
namespace {

constexpr double kLooks_hz = 1233;
constexpr double kSpan_s = 0.4;

/// Returns the root mean square error of the mean power that a board's sensor reports, as a share of the true
/// mean, over readings that begin at random times. The work consumes 900 W in the first 30 % of its period,
/// 350 W in the rest, and 150 W in pauses.
double aliasing_error_of(double period_s, double pause_s, double sensor_rate_hz) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> part(0, 1);
  const double each_s = period_s + pause_s;
  const double truth = ((0.3 * 900 + 0.7 * 350) * period_s + 150 * pause_s) / each_s;
  double squares = 0;
  constexpr int kReadings = 200;
  for (int i = 0; i < kReadings; ++i) {
    double sum = 0;
    int looks = 0;
    for (double at_s = part(random); looks < kSpan_s * sensor_rate_hz; at_s += 1 / sensor_rate_hz, ++looks) {
      const double place = std::fmod(at_s, each_s);
      sum += place < 0.3 * period_s ? 900 : place < period_s ? 350 : 150;
    }
    squares += std::pow(sum / looks / truth - 1, 2);
  }
  return std::sqrt(squares / kReadings);
}

TEST(Pause, WorkInStepWithTheMeterIsBroughtOutOfIt) {
  for (const double period_s : {0.811e-3, 1.614e-3, 1.622e-3, 2.433e-3, 4.05e-3}) {
    double without = 0, with = 0;
    for (const double board : {0.99, 0.995, 1.0, 1.005, 1.01}) {
      const double pause_s = pause_against_aliasing(period_s, {kLooks_hz, 0.015 * kLooks_hz}, kSpan_s);
      EXPECT_GT(pause_s, 0) << period_s;
      EXPECT_LE(pause_s, 0.06 * period_s) << period_s;
      without = std::max(without, aliasing_error_of(period_s, 0, board * kLooks_hz));
      with = std::max(with, aliasing_error_of(period_s, pause_s, board * kLooks_hz));
    }
    EXPECT_GT(without, 0.04) << period_s;
    EXPECT_LT(with, 0.012) << period_s;
    EXPECT_LT(with, without / 5) << period_s;
  }
}

TEST(Pause, WorkOutOfStepIsLeftAlone) {
  for (const double period_s : {0.3e-3, 1.125e-3, 2.32e-3}) {
    EXPECT_EQ(pause_against_aliasing(period_s, {kLooks_hz, 0.015 * kLooks_hz}, kSpan_s), 0) << period_s;
    EXPECT_LT(aliasing_error_of(period_s, 0, kLooks_hz), 0.01) << period_s;
  }
}

TEST(Pause, LongIterationsAreInStepWithAnyPause) {
  EXPECT_EQ(pause_against_aliasing(60e-3, {kLooks_hz, 0.015 * kLooks_hz}, kSpan_s), 0);
  EXPECT_EQ(pause_against_aliasing(0.5, {kLooks_hz, 0.015 * kLooks_hz}, kSpan_s), 0);
}

}  // namespace
}  // namespace kjoule
