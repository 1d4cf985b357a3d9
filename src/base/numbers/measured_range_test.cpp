#include "base/numbers/measured_range.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace kjoule {
namespace {

std::string refusal_of(double value, const MeasuredRange& range) {
  try {
    check_measured("x", value, range);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

std::string refusal_of(const Interval& value, const MeasuredRange& range) {
  try {
    check_measured("x", value, range);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(MeasuredRange, RefusesNumbersThatWereNotMeasured) {
  EXPECT_EQ(refusal_of(1e-6, kWorkTime), "");
  EXPECT_EQ(refusal_of(0, kPartTime), "");
  EXPECT_EQ(refusal_of(0, kWorkTime), "x is 0 s, which is not from 1e-09 to 1e+08 s");
  EXPECT_EQ(refusal_of(-3, kPowerRange), "x is -3 W, which is not from 0 to 1e+09 W");
  EXPECT_EQ(refusal_of(1e300, kEnergyRange), "x is 1e+300 J, which is not from 0 to 1e+12 J");
  EXPECT_EQ(refusal_of(std::nan(""), kEnergyRange), "x is nan J, which is not from 0 to 1e+12 J");
}

TEST(MeasuredRange, IsConvertedToAnotherUnit) {
  const MeasuredRange in_us = kWorkTime.in("us", 1e6);
  EXPECT_EQ(refusal_of(1e14, in_us), "");
  EXPECT_EQ(refusal_of(1e-4, in_us), "x is 0.0001 us, which is not from 0.001 to 1e+14 us");
}

TEST(MeasuredRange, AcceptsNoiseBelowTheRangeInsideTheInterval) {
  EXPECT_EQ(refusal_of(Interval{-0.5, 0.6}, kEnergyRange), "");
  EXPECT_EQ(refusal_of(Interval{5, std::numeric_limits<double>::infinity()}, kEnergyRange), "");
  EXPECT_EQ(refusal_of(Interval{-0.5, 0.4}, kEnergyRange),
            "x is -0.5 +- 0.4 J, which is not from 0 to 1e+12 J");
  EXPECT_EQ(refusal_of(Interval{5, -1}, kEnergyRange), "x is 5 +- -1 J, which is not from 0 to 1e+12 J");
  EXPECT_EQ(refusal_of(Interval{1e13, 1e13}, kEnergyRange),
            "x is 1e+13 +- 1e+13 J, which is not from 0 to 1e+12 J");
  check_measured("x", std::nullopt, kEnergyRange);
}

}  // namespace
}  // namespace kjoule
