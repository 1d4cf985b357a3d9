#include "prediction/roofline.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kjoule {
namespace {

TEST(Roofline, FindsWhatEachPartCosts) {
  std::vector<OperatorWork> works;
  std::vector<double> us;
  for (int i = 1; i <= 40; ++i) {
    const double flops = 1e9 * i, elements = 1e6 * (i % 7 + 1);
    works.push_back({{1}, flops, {elements}});
    us.push_back(5 + 3e-9 * flops + 2e-6 * elements);
  }
  const Roofline roofline = Roofline::fit(works, us);
  EXPECT_NEAR(roofline.coefficients()[0], 5, 1e-3);
  EXPECT_NEAR(roofline.coefficients()[1], 3e-9, 1e-13);
  EXPECT_NEAR(roofline.coefficients()[2], 2e-6, 1e-10);
  EXPECT_NEAR(roofline.predict({{1}, 1e12, {0}}), 3005, 1) << "goes on growing";
}

TEST(Roofline, FindsWhereACacheEnds) {
  std::vector<OperatorWork> works;
  std::vector<double> us;
  for (int i = 1; i <= 26; ++i) {
    const double elements = 1e5 * std::pow(1.3, i);
    works.push_back({{1}, 0, {elements, elements}});
    us.push_back(2 + 2e-6 * elements * (2 * elements > 5e6 ? 3 : 1));
  }
  const Roofline roofline = Roofline::fit(works, us);
  ASSERT_TRUE(roofline.spill());
  EXPECT_NEAR(roofline.spill()->elements, 5e6, 0.6e6);
  EXPECT_NEAR(roofline.spill()->each, 2e-6, 1e-9);
  for (size_t i = 0; i < works.size(); ++i) EXPECT_NEAR(roofline.predict(works[i]) / us[i], 1, 1e-6);
  for (size_t i = 0; i < works.size(); ++i) us[i] = 2 + 2e-6 * works[i].streams[0];
  EXPECT_FALSE(Roofline::fit(works, us).spill()) << "nothing jumps";
}

TEST(Roofline, NoPartCostsLessThanNothing) {
  // The unconstrained least-squares fit has a negative second coefficient.
  const std::vector<double> x = non_negative_least_squares({{1, 0}, {1, 1}, {1, 2}}, {3, 2, 1});
  EXPECT_NEAR(x[0], 2, 1e-9);
  EXPECT_EQ(x[1], 0);
}

TEST(Roofline, AColumnOfNothingCostsNothing) {
  const std::vector<double> x = non_negative_least_squares({{1, 0}, {2, 0}}, {2, 4});
  EXPECT_NEAR(x[0], 2, 1e-9);
  EXPECT_EQ(x[1], 0);
}

}  // namespace
}  // namespace kjoule
