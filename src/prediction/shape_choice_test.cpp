#include "prediction/shape_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace kjoule {
namespace {

/// A sweep of linear4, as dense as that of the published table.
std::vector<std::vector<double>> linear_sweep() {
  std::vector<std::vector<double>> sweep;
  for (const double b : {1.0, 2.0, 4.0, 8.0})
    for (double l = 512; l <= 4096; l += 512)
      for (double dim = 512; dim <= 4096; dim += 512) sweep.push_back({1, b, l, dim});
  return sweep;
}

TEST(ShapeChoice, FillsTheSpaceAndReservesARandomFifth) {
  const auto sweep = linear_sweep();
  const ShapeChoice choice(*find_operator_kind("linear4"), sweep);
  const std::vector<size_t> chosen = choice.next({}, 20);
  EXPECT_EQ(std::set<size_t>(chosen.begin(), chosen.end()).size(), 20U);
  const std::vector<size_t> random = choice.reserved(20);
  ASSERT_EQ(random.size(), 4U);
  EXPECT_TRUE(std::equal(random.begin(), random.end(), chosen.begin()));
  const auto contains = [&](const std::vector<double>& shape) {
    return std::any_of(chosen.begin(), chosen.end(), [&](size_t one) { return sweep[one] == shape; });
  };
  EXPECT_TRUE(contains({1, 1, 512, 512})) << "the ends of the sweep are farthest from all others";
  EXPECT_TRUE(contains({1, 8, 4096, 4096}));
}

TEST(ShapeChoice, ContinuesWhatWasMeasuredUntilNothingIsLeft) {
  const auto sweep = linear_sweep();
  const ShapeChoice choice(*find_operator_kind("linear4"), sweep);
  std::map<size_t, std::vector<double>> measured;
  for (const size_t shape : choice.next({}, 15)) measured[shape] = {1.0 + static_cast<double>(shape), 2.0};
  for (const size_t shape : choice.next(measured, 300)) {
    EXPECT_FALSE(measured.contains(shape));
    measured[shape] = {};
  }
  EXPECT_EQ(measured.size(), sweep.size());
  EXPECT_TRUE(choice.next(measured, 5).empty());
}

TEST(ShapeChoice, UsesModelsIfTheFirstShapeCouldNotBeMeasured) {
  const auto sweep = linear_sweep();
  const ShapeChoice choice(*find_operator_kind("linear4"), sweep);
  std::map<size_t, std::vector<double>> measured;
  for (const size_t shape : choice.next({}, 60)) {
    const auto& size = sweep[shape];
    measured[shape] = {10 + 1e-9 * size[1] * size[2] * size[3] * size[3] * (shape % 2 == 0 ? 1.0 : 1.3)};
  }
  measured.begin()->second.clear();
  const std::vector<size_t> next = choice.next(measured, 20);
  // Without uncertainties, all but four random shapes would be among the first of the sweep that are left.
  EXPECT_GT(std::ranges::count_if(next, [](size_t shape) { return shape >= 100; }), 4);
}

}  // namespace
}  // namespace kjoule
