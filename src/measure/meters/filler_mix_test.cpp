#include "measure/meters/filler_mix.hpp"

#include <gtest/gtest.h>

#include "measure/meters/aliasing.hpp"

namespace kjoule {
namespace {

constexpr double kFiller_s = 51e-6, kRead_s = 0.2;
constexpr Interval kBoard_hz{1233, 18.5};

double period_s(double work_s, const FillerMix& mix) {
  return mix.copies * work_s + mix.times * kFiller_s;
}

TEST(FillerMix, HasTwiceAsLongFillerAsWork) {
  for (const double work_s : {10e-6, 130e-6, 0.8e-3, 5e-3}) {
    const FillerMix mix = filler_mix(work_s, kFiller_s, {}, kRead_s);
    EXPECT_GE(mix.copies * work_s, 0.5e-3) << work_s;
    EXPECT_NEAR(mix.times * kFiller_s, 2 * mix.copies * work_s, kFiller_s) << work_s;
  }
}

TEST(FillerMix, KeepsOutOfStepWithTheMeter) {
  double worst = 0;
  for (double work_s = 20e-6; work_s < 1.5e-3; work_s *= 1.02) {
    const FillerMix plain = filler_mix(work_s, kFiller_s, {}, kRead_s),
                    mix = filler_mix(work_s, kFiller_s, kBoard_hz, kRead_s);
    worst = std::max(worst, aliasing_error(period_s(work_s, plain), kBoard_hz, kRead_s));
    EXPECT_LT(aliasing_error(period_s(work_s, mix), kBoard_hz, kRead_s), 0.01) << work_s;
    EXPECT_EQ(mix.copies, plain.copies);
    EXPECT_LE(mix.times * kFiller_s, 3 * mix.copies * work_s + kFiller_s) << work_s;
  }
  EXPECT_GT(worst, 0.1);
}

TEST(FillerMix, LongWorkIsMixedAsFarAsGraphsGo) {
  const FillerMix mix = filler_mix(0.1, kFiller_s, kBoard_hz, kRead_s);
  EXPECT_EQ(mix.copies, 1);
  EXPECT_EQ(mix.times, 1000);
}

}  // namespace
}  // namespace kjoule
