#include "prediction/collective_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "prediction/sampled_data.hpp"

namespace kjoule {
namespace {

using Shapes = std::vector<std::vector<double>>;

OperatorKind all_reduce() {
  return make_operator_kind("allreduce", collective_columns());
}

/// A sweep of `count` sizes from 1024 elements on, each twice the one before.
Shapes doubled_sizes(int count) {
  Shapes shapes;
  for (int i = 0; i < count; ++i) shapes.push_back({1024.0 * std::exp2(i), 1, 2});
  return shapes;
}

/// 10 us and 1000 elements/us up to 262,144 elements, above it 300 us and 4000 elements/us.
double two_protocols(double elements) {
  return elements <= 1024 * 256 ? 10 + elements / 1000 : 300 + elements / 4000;
}

std::vector<double> costs_of(const Shapes& shapes, double (*cost)(double)) {
  std::vector<double> costs;
  for (const auto& shape : shapes) costs.push_back(cost(shape.front()));
  return costs;
}

double half_width_of(const Prediction& prediction) {
  return std::log(prediction.high / prediction.value);
}

TEST(CostsBySize, LatencyBelowAndBandwidthAbove) {
  const CostsBySize costs({8, 4, 2, 4}, {9, 4, 3, 6});  // two measurements of size 4
  EXPECT_EQ(costs.count(), 3u);
  EXPECT_DOUBLE_EQ(costs.cost(4), 5) << "the median";
  EXPECT_DOUBLE_EQ(costs.cost(3), 4);
  EXPECT_DOUBLE_EQ(costs.cost(1), 3);
  EXPECT_NEAR(costs.cost(12), 13, 1e-9);
  EXPECT_NEAR(CostsBySize({1, 2, 3, 4, 5, 6, 7, 8}, {1, 1, 1, 4, 5, 6, 7.2, 7.8}).cost(16), 16, 0.5)
      << "by the sizes from 4 on; the last two alone would give 12.6";
  EXPECT_DOUBLE_EQ(CostsBySize({1, 2}, {5, 1e-310}).cost(4), 1e-310) << "a cost that no program has";
  EXPECT_GT(CostsBySize({1, 2, 3}, {9, 8, 7}).cost(10), 7) << "no negative bandwidth";
}

TEST(CostsBySize, NeighbouringLinesDisagreeAtAStep) {
  std::vector<double> sizes, costs;
  for (int size = 1; size <= 8; ++size) {
    sizes.push_back(size);
    costs.push_back(size <= 4 ? 10 + size : 30 + size);
  }
  const CostsBySize rows(sizes, costs);
  EXPECT_NEAR(rows.disagreement(2.5), 0, 1e-12);
  // The middle of the step is 24.5; the lines of its sides say 14.5 and 34.5.
  EXPECT_NEAR(rows.disagreement(4.5), std::log(24.5 / 14.5), 1e-12);
}

TEST(CollectiveModel, AStepOfTheProtocolWidensOnlyItsOwnInterval) {
  const Shapes shapes = doubled_sizes(16);
  const CollectiveModel model = CollectiveModel::train(all_reduce(), shapes, costs_of(shapes, two_protocols));
  const Prediction small = model.predict({1024 * 96, 1, 2}), step = model.predict({1024 * 384, 1, 2}),
                   large = model.predict({1024 * 6144, 1, 2});
  EXPECT_NEAR(small.value, two_protocols(1024 * 96), 1e-9);
  EXPECT_NEAR(large.value, two_protocols(1024 * 6144), 1e-9);
  EXPECT_TRUE(small.outside.empty());
  EXPECT_GT(half_width_of(step), 3 * half_width_of(large));
  EXPECT_LE(step.low, two_protocols(1024 * 384));
  EXPECT_GE(step.high, two_protocols(1024 * 384));
}

TEST(CollectiveModel, SizesThatWereNotSampledAreNamed) {
  const Shapes shapes = doubled_sizes(12);
  const CollectiveModel model = CollectiveModel::train(all_reduce(), shapes, costs_of(shapes, two_protocols));
  const Prediction large = model.predict({1024 * 4096, 1, 2}), small = model.predict({8, 1, 2});
  ASSERT_EQ(large.outside.size(), 1u);
  EXPECT_EQ(large.outside.front(), "shape 4.1943e+06 (sampled: 1024 to 2.09715e+06)");
  EXPECT_NEAR(large.value, two_protocols(1024 * 4096), 1e-9);
  EXPECT_GE(half_width_of(large), std::log1p(2.06 * 0.044));
  ASSERT_EQ(small.outside.size(), 1u);
  EXPECT_DOUBLE_EQ(small.value, two_protocols(1024));
}

TEST(CollectiveModel, IntervalsOfAbsurdCostsAreFinite) {
  const Shapes shapes = doubled_sizes(14);
  std::vector<double> costs;
  for (size_t i = 0; i < shapes.size(); ++i) costs.push_back(i % 2 ? 1e-300 : 1e3);
  const CollectiveModel model = CollectiveModel::train(all_reduce(), shapes, costs);
  for (const double elements : {8.0, 3000.0, 1e15}) {
    const Prediction prediction = model.predict({elements, 1, 2});
    EXPECT_TRUE(std::isfinite(prediction.high)) << elements;
    EXPECT_TRUE(std::isfinite(prediction.value)) << elements;
  }
}

TEST(CollectiveModel, FewSizesAreRefused) {
  Shapes shapes = doubled_sizes(10);
  shapes.push_back(shapes.front());
  try {
    CollectiveModel::train(all_reduce(), shapes, costs_of(shapes, two_protocols));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(
        error.line(),
        "the table has 10 different sizes, which are too few for a prediction; measure at least 11 sizes "
        "with kjoule collectives");
  }
}

/// Rows of two H200: each inner size is predicted from the other rows of its table.
TEST(CollectiveModel, SizesOfAnH200ThatAreLeftOut) {
  const SampledData data = SampledData::open_named("H200/nccl", {});
  std::vector<double> errors;
  int inside = 0;
  for (const TableName& table : data.tables()) {
    const MeasuredShapes all = data.samples(table).select(Direction::step, Measurand::time);
    for (size_t left = 1; left + 1 < all.shapes.size(); ++left) {
      MeasuredShapes others = all;
      others.shapes.erase(others.shapes.begin() + static_cast<std::ptrdiff_t>(left));
      others.costs.erase(others.costs.begin() + static_cast<std::ptrdiff_t>(left));
      const Prediction prediction =
          CollectiveModel::train(data.kind_of(table), others.shapes, others.costs).predict(all.shapes[left]);
      errors.push_back(std::abs(prediction.value / all.costs[left] - 1));
      inside += prediction.low <= all.costs[left] && all.costs[left] <= prediction.high;
    }
  }
  ASSERT_GE(errors.size(), 100u);
  std::sort(errors.begin(), errors.end());
  EXPECT_LT(errors[errors.size() / 2], 0.03);
  EXPECT_GE(inside, 0.9 * static_cast<double>(errors.size()));
}

}  // namespace
}  // namespace kjoule
