#include "report/shown_interval.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace kjoule {
namespace {

void expect_cells(const Interval& interval, const std::string& value, const std::string& half_width) {
  const ShownInterval shown = shown_interval(interval, 2, "us");
  EXPECT_EQ(shown.value, value);
  EXPECT_EQ(shown.half_width, half_width);
}

TEST(ShownInterval, HasAPercentageWhereTheValueIsApartFromZero) {
  expect_cells({12.3, 0.246}, "12.30", "2.0 %");
}

TEST(ShownInterval, IsAnUpperLimitWhereItHoldsZero) {
  expect_cells({0.05, 0.15}, "< 0.20", "0.15 us");
  expect_cells({0, 0.15}, "< 0.15", "0.15 us");
  expect_cells({-0.05, 0.15}, "< 0.10", "0.15 us");
  expect_cells({0, 0}, "< 0.00", "0.00 us");
}

TEST(ShownInterval, ShowsADashForWhatIsNotKnown) {
  expect_cells({12.3, std::numeric_limits<double>::infinity()}, "12.30", "-");
  expect_cells({std::numeric_limits<double>::infinity(), 1}, "-", "-");
  expect_cells({std::numeric_limits<double>::quiet_NaN(), 1}, "-", "-");
}

}  // namespace
}  // namespace kjoule
