#include "prediction/suspicious_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "prediction/noise_floor.hpp"
#include "prediction/sampled_data.hpp"

namespace kjoule {
namespace {

/// A grid of shapes of linear4, whose times are exactly 2 us + 5e-9 us per FLOP.
struct LinearGrid {
  OperatorKind kind = *find_operator_kind("linear4");
  std::vector<std::vector<double>> shapes;
  std::vector<double> us;
  LinearGrid() {
    for (const double b : {1.0, 3.0, 5.0})
      for (double l = 1024; l <= 4096; l += 1024)
        for (double dim = 1024; dim <= 4096; dim += 1024) shapes.push_back({1, b, l, dim});
    for (const auto& shape : shapes) us.push_back(2 + 5e-9 * kind.work(shape).flops);
  }
  size_t row_of(const std::vector<double>& shape) const {
    return static_cast<size_t>(std::find(shapes.begin(), shapes.end(), shape) - shapes.begin());
  }
  std::vector<SuspiciousRow> find(const std::optional<GpuRates>& rates = {}) const {
    return find_suspicious_rows(kind, shapes, us, rates);
  }
};

TEST(SuspiciousRows, RowsThatFollowTheWorkAreNotSuspicious) {
  EXPECT_TRUE(LinearGrid().find().empty());
}

TEST(SuspiciousRows, OneSlowRowIsFoundAndNoOther) {
  LinearGrid grid;
  const size_t slow = grid.row_of({1, 3, 2048, 2048});
  const double right = grid.us[slow];
  grid.us[slow] *= 3;
  const auto found = grid.find();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].row, slow);
  EXPECT_EQ(found[0].reason.substr(0, 10), "more than ");
  EXPECT_LT(found[0].expected, found[0].measured);
  EXPECT_GT(found[0].expected, right * 0.9);
}

TEST(SuspiciousRows, OfALargeTableEvenlySpreadRowsAreCompared) {
  EXPECT_EQ(rows_compared_with_larger_shapes(3), (std::vector<size_t>{0, 1, 2}));
  std::vector<size_t> compared = rows_compared_with_larger_shapes(1'000'000);
  EXPECT_EQ(compared.size(), 20'000U);
  EXPECT_EQ(compared[1], 50U);
  EXPECT_EQ(compared.back(), 999'950U);
  // Of 40,000 rows whose sizes occur once each, every second one is compared: of two slow rows, one is found.
  const OperatorKind kind = make_operator_kind("mine", {"n", "m"});
  std::vector<std::vector<double>> shapes;
  std::vector<double> us;
  for (double n = 1; n <= 40'000; ++n) {
    shapes.push_back({128 * n, 128 * n});
    us.push_back(n + 10);
  }
  us[20] *= 3;
  us[2001] *= 3;
  const auto found = find_suspicious_rows(kind, shapes, us);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].row, 20U);
}

TEST(SuspiciousRows, AFastRowAmongSlowerNeighbours) {
  LinearGrid grid;
  const size_t fast = grid.row_of({1, 3, 2048, 2048});
  grid.us[fast] *= 0.8;
  const auto found = grid.find();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].row, fast);
  EXPECT_EQ(found[0].reason, "less than the next smaller and larger shapes suggest");
  EXPECT_NEAR(found[0].deviation(), 1.25, 0.05);
}

TEST(SuspiciousRows, NoRowIsFasterThanThePeakRates) {
  LinearGrid grid;
  const size_t row = grid.row_of({1, 1, 1024, 1024});
  const double flops = grid.kind.work(grid.shapes[row]).flops;
  // 2 us + 5e-9 us per FLOP is below 5e-9 us per FLOP only if the GPU is slower than 200 TFLOP/s.
  EXPECT_TRUE(grid.find(GpuRates{200e12, 2e12, 40e6}).empty());
  grid.us[row] = 0.99 * flops / 200e6;
  const auto found = grid.find(GpuRates{200e12, 2e12, 40e6});
  ASSERT_FALSE(found.empty());
  const auto peak = std::find_if(found.begin(), found.end(), [&](const auto& one) { return one.row == row; });
  ASSERT_NE(peak, found.end());
  EXPECT_EQ(peak->reason, "faster than the peak rates of the GPU allow");
  EXPECT_DOUBLE_EQ(peak->expected, flops / 200e6);
}

TEST(SuspiciousRows, ReplicatesOfOtherShapesDecide) {
  LinearGrid grid;
  grid.shapes.push_back({1, 4, 768, 1024});  // the work of 1 x 3 x 1024 and of 1 x 1 x 3072
  grid.us.push_back(1.5 * grid.us[grid.row_of({1, 3, 1024, 1024})]);
  const auto found = grid.find();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].row, grid.shapes.size() - 1);
  EXPECT_EQ(found[0].reason, "unlike 2 other rows of the same work");
  EXPECT_NEAR(found[0].deviation(), 1.5, 1e-9);
}

TEST(NoiseFloor, IsTheMeanDistanceFromTheTrueValue) {
  const OperatorKind& kind = *find_operator_kind("linear4");
  std::vector<OperatorWork> works;
  std::vector<double> us;
  for (double dim = 1024; dim <= 6144; dim += 1024)
    for (const double factor : {1.02, 1 / 1.02}) {
      works.push_back(kind.work({1, factor > 1 ? 2.0 : 4.0, factor > 1 ? 4096.0 : 2048.0, dim}));
      us.push_back(factor * dim);
    }
  const auto noise = find_noise_floor(works, us);
  ASSERT_TRUE(noise.has_value());
  EXPECT_EQ(noise->rows, 12U);
  EXPECT_NEAR(noise->mean_percent, 2.84, 0.01);  // 1.02^sqrt(2) - 1: the centre follows the two rows
  works.resize(8);
  EXPECT_FALSE(find_noise_floor(works, us).has_value()) << "8 rows are too few";
}

/// The published table has many rows of the same work. Most of its error cannot be avoided.
TEST(NoiseFloor, OfPublishedTables) {
  const SampledData data = SampledData::open_named("Perlmutter/operator", {});
  const auto of = [&](const char* operation, Direction direction) {
    const TableName name = data.find("NVIDIAA100-SXM4-80GB", operation, "fp16");
    const Samples samples = data.samples(name);
    const OperatorKind kind = data.kind_of(name);
    std::vector<OperatorWork> works;
    for (const auto& shape : samples.shapes) works.push_back(kind.work(shape));
    return find_noise_floor(works, samples.us.at(direction))->mean_percent;
  };
  EXPECT_NEAR(of("flash_atten", Direction::forward), 5.9, 0.3);
  EXPECT_NEAR(of("linear2", Direction::backward), 0.32, 0.05);
}

}  // namespace
}  // namespace kjoule
