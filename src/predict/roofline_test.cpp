#include "predict/roofline.hpp"

#include <gtest/gtest.h>

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

TEST(Roofline, NoPartCostsLessThanNothing) {
  // the best plain fit has a negative second coefficient
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
