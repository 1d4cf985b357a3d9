#include "prediction/transferred_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "prediction/sampled_data.hpp"

namespace kjoule {
namespace {

constexpr GpuRates kSource{300e12, 2e12, 40e6}, kTarget{900e12, 4e12, 50e6};

/// Shapes of gelu and linear4, and their times on a GPU: a launch, and shares of the GPU's peak rates.
struct KnownGpu {
  OperatorKind kind;
  double launch_us, compute, memory;

  double us(const std::vector<double>& shape) const {
    const OperatorWork work = kind.work(shape);
    return launch_us + compute * work.flops * 1e-8 + memory * work.elements() * 1e-6;
  }
  static std::vector<std::vector<double>> shapes() {
    std::vector<std::vector<double>> all;
    for (const double b : {1.0, 2.0, 4.0})
      for (double l = 512; l <= 2048; l += 512)
        for (double dim = 512; dim <= 4096; dim += 512) all.push_back({1, b, l, dim});
    return all;
  }
  OperatorModel model() const {
    std::vector<double> costs;
    for (const auto& shape : shapes()) costs.push_back(us(shape));
    return OperatorModel::train(kind, shapes(), costs);
  }
};

TEST(TransferredModel, DataSheetsScaleArithmeticAndMemory) {
  const KnownGpu source{*find_operator_kind("linear4"), 4, 1, 1};
  const OperatorModel model = source.model();
  const TransferredModel scaled = TransferredModel::scale(model, kSource, kTarget);
  EXPECT_DOUBLE_EQ(scaled.scales()[1], 300.0 / 900);
  EXPECT_DOUBLE_EQ(scaled.scales()[2], 0.5);
  const std::vector<double> shape{1, 4, 1024, 3072};
  const KnownGpu target{source.kind, 4, 300.0 / 900, 0.5};
  const Prediction predicted = scaled.predict(shape);
  EXPECT_NEAR(predicted.value / target.us(shape), 1, 0.03);
  EXPECT_GT(predicted.high / predicted.value, 1.3) << "data sheets do not tell how fast a kernel is";
  EXPECT_FALSE(scaled.left_out_percent().has_value());
}

TEST(TransferredModel, RowsHaveTheFeaturesOfTheSource) {
  const OperatorKind kind = make_operator_kind("mine", {"n", "m"}, {"n-m", "n"});
  std::vector<std::vector<double>> shapes;
  std::vector<double> us;
  for (double n = 64; n <= 2048; n += 64) {
    shapes.push_back({n, 32});
    us.push_back(2 + n);
  }
  const OperatorModel model = OperatorModel::train(kind, shapes, us);
  const std::vector<std::vector<double>> rows{{64, 32}, {128, 32}, {32, 64}};
  EXPECT_THROW(TransferredModel::fit(model, kSource, kTarget, rows, {9, 9, 9}), Error);
}

TEST(TransferredModel, TenRowsCorrectTheScales) {
  const KnownGpu source{*find_operator_kind("linear4"), 4, 1, 1};
  const KnownGpu target{source.kind, 9, 0.5, 0.6};  // slower than its data sheet
  const OperatorModel model = source.model();
  std::vector<std::vector<double>> shapes;
  std::vector<double> us;
  for (size_t s = 0; s < KnownGpu::shapes().size() && shapes.size() < 10; s += 9) {
    shapes.push_back(KnownGpu::shapes()[s]);
    us.push_back(target.us(shapes.back()));
  }
  const TransferredModel fitted = TransferredModel::fit(model, kSource, kTarget, shapes, us);
  EXPECT_EQ(fitted.rows(), 10U);
  EXPECT_LT(*fitted.left_out_percent(), 3);
  double error = 0;
  for (const auto& shape : KnownGpu::shapes())
    error += std::abs(fitted.predict(shape).value / target.us(shape) - 1);
  EXPECT_LT(error / static_cast<double>(KnownGpu::shapes().size()), 0.03);
  const TransferredModel scaled = TransferredModel::scale(model, kSource, kTarget);
  const std::vector<double> shape{1, 4, 1024, 3072};
  EXPECT_LT(fitted.predict(shape).high / fitted.predict(shape).value,
            scaled.predict(shape).high / scaled.predict(shape).value);
}

TEST(TransferredModel, FewRowsGiveNoNarrowerInterval) {
  const KnownGpu source{*find_operator_kind("gelu"), 4, 0, 1};
  const OperatorModel model = source.model();
  const std::vector<std::vector<double>> shapes{{1, 1, 512, 512}, {1, 2, 1024, 2048}, {1, 4, 2048, 4096}};
  std::vector<double> us;
  for (const auto& shape : shapes) us.push_back(0.5 * source.us(shape));
  const TransferredModel fitted = TransferredModel::fit(model, kSource, kTarget, shapes, us);
  const TransferredModel scaled = TransferredModel::scale(model, kSource, kTarget);
  const std::vector<double> shape{1, 2, 1536, 1024};
  EXPECT_NEAR(fitted.predict(shape).value / (0.5 * source.us(shape)), 1, 0.02);
  EXPECT_NEAR(fitted.predict(shape).high / fitted.predict(shape).value,
              scaled.predict(shape).high / scaled.predict(shape).value, 1e-9);
  EXPECT_THROW(TransferredModel::fit(model, kSource, kTarget, {shapes[0], shapes[1]}, {1, 2}), Error);
}

/// From the A100's published table to the H200 and its own ten rows: a real change of GPU.
TEST(TransferredModel, FromTheA100ToTheH200) {
  const SampledData a100 = SampledData::open_named("Perlmutter/operator", {});
  const SampledData h200 = SampledData::open_named("H200/operator", {});
  const TableName from = a100.find("NVIDIAA100-SXM4-80GB", "linear2", "fp16");
  const TableName to = h200.find("NVIDIAH200", "linear2", "fp16");
  const Samples source = a100.samples(from), target = h200.samples(to);
  const OperatorModel model =
      OperatorModel::train(a100.kind_of(from), source.shapes, source.us.at(Direction::forward));
  const std::vector<double>& us = target.us.at(Direction::forward);
  std::vector<std::vector<double>> shapes;
  std::vector<double> few;
  for (size_t r = 0; r < us.size() && shapes.size() < 10; r += 2) {
    shapes.push_back(target.shapes[r]);
    few.push_back(us[r]);
  }
  constexpr GpuRates kA100{312e12, 2.039e12, 40e6}, kH200{989.5e12, 4.8e12, 62.9e6};
  const auto fitted = TransferredModel::fit(model, kA100, kH200, shapes, few);
  double error = 0, covered = 0, count = 0;
  for (size_t r = 1; r < us.size(); r += 2, ++count) {
    const Prediction predicted = fitted.predict(target.shapes[r]);
    error += std::abs(predicted.value / us[r] - 1);
    covered += predicted.low <= us[r] && us[r] <= predicted.high ? 1 : 0;
  }
  EXPECT_LT(error / count, 0.1);
  EXPECT_GE(covered / count, 0.75);
}

}  // namespace
}  // namespace kjoule
