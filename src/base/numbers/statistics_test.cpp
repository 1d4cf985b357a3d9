#include "base/numbers/statistics.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace kjoule {
namespace {

TEST(Statistics, KnownValues) {
  const std::vector<double> values{4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(mean(values), 2.5);
  EXPECT_DOUBLE_EQ(median(values), 2.5);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 4);
  EXPECT_NEAR(standard_deviation(values), std::sqrt(5.0 / 3), 1e-12);
  EXPECT_NEAR(student_t95(9), 2.262157, 1e-6);  // any table of Student's t
  EXPECT_TRUE(std::isinf(student_t95(0)));
  EXPECT_NEAR(mean_interval(values).half_width, 3.182446 * std::sqrt(5.0 / 12), 1e-5);
}

TEST(Statistics, HaveNoIntervalOfASingleValue) {
  EXPECT_EQ(mean_interval({2.5}).value, 2.5);
  EXPECT_TRUE(std::isinf(mean_interval({2.5}).half_width));
}

TEST(Fences, PullADisturbanceAndLeaveTheRest) {
  std::vector<double> quiet{1.0, 1.01, 0.99, 1.0};
  std::vector<double> disturbed{2.0, 2.01, 1.99, 50.0};
  limit_outliers({&quiet, &disturbed});
  EXPECT_EQ(quiet, (std::vector<double>{1.0, 1.01, 0.99, 1.0}));
  EXPECT_LT(disturbed[3], 2.3);
  EXPECT_GT(disturbed[3], 2.01);
}

RC_GTEST_PROP(Statistics, QuantilesAreWithinTheValuesAndRise, ()) {
  const auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(
      rc::gen::map(rc::gen::inRange(-1000, 1000), [](int x) { return x / 7.0; })));
  const double low = quantile(values, 0.2);
  const double high = quantile(values, 0.8);
  RC_ASSERT(low <= high);
  RC_ASSERT(low >= *std::min_element(values.begin(), values.end()));
  RC_ASSERT(high <= *std::max_element(values.begin(), values.end()));
}

TEST(Statistics, TheJackknifesErrorOfAMeanIsItsStandardError) {
  const std::vector<double> values{3, 5, 4, 9, 1, 2};
  std::vector<double> without_each;
  for (size_t i = 0; i < values.size(); ++i) {
    std::vector<double> others = values;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    without_each.push_back(mean(others));
  }
  EXPECT_NEAR(jackknife_error(without_each), standard_error(values), 1e-12);
}

}  // namespace
}  // namespace kjoule
