#include "model_prediction/operator_estimate.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "model_prediction/model_prediction.hpp"
#include "model_prediction/roof_estimate.hpp"

namespace kjoule {
namespace {

constexpr const char* kGpu = "NVIDIAH200";

TensorSize fp16_tensor(const std::vector<double>& shape) {
  TensorSize tensor{"Half", shape, 1, 0};
  for (const double size : shape) tensor.elements *= size;
  tensor.bytes = 2 * tensor.elements;
  return tensor;
}

RecordedOperator product_call(double m, double k, double n, size_t calls = 1) {
  return {"aten::mm", {}, {fp16_tensor({m, k}), fp16_tensor({k, n})}, {fp16_tensor({m, n})}, {}, calls};
}

TrainedModels h200_models() {
  return TrainedModels(SampledData::shipped_operators(kGpu),
                       std::filesystem::temp_directory_path() / "kjoule_model_prediction_test");
}

TEST(ModelPrediction, CallsOfForeignTypesAreMissingFromTheSum) {
  TrainedModels models = h200_models();
  OperatorEstimator estimator(models, kGpu);
  RecordedOperator quantized = product_call(512, 1024, 4096, 3);
  quantized.foreign_type = "QInt8";
  const ModelPrediction all =
      predict_model({{product_call(512, 1024, 4096), std::move(quantized)}, 0}, estimator);
  EXPECT_EQ(all.calls(), 4U);
  EXPECT_EQ(all.calls_not_predicted(), 3U);
  EXPECT_EQ(all.operators.back().missing.substr(0, 30), "a tensor has the type QInt8, f");
}

TEST(OperatorEstimator, PredictsSampledShapesAsTheTableHasThem) {
  TrainedModels models = h200_models();
  OperatorEstimator estimator(models, kGpu);
  const auto parts = estimator.estimate(work_of(product_call(512, 1024, 4096)));
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].basis, Basis::samples);
  EXPECT_EQ(parts[0].source, "NVIDIAH200_linear_fp16 forward");
  EXPECT_NEAR(parts[0].us.value / 7.927, 1, 0.1);  // the row of the table
  ASSERT_TRUE(parts[0].joules);
  EXPECT_NEAR(parts[0].joules->value / 0.00608687, 1, 0.15);
}

TEST(OperatorEstimator, LittleWorkReadsItsWeightsFromMemory) {
  TrainedModels models = h200_models();
  OperatorEstimator estimator(models, kGpu);
  const CallEstimate one = estimator.estimate(work_of(product_call(1, 4096, 100000)))[0];
  EXPECT_EQ(one.basis, Basis::beyond_samples);
  const double least_us = 2 * 4096.0 * 100000 / 4.8e6;  // at the data sheet's rate
  EXPECT_GE(one.us.low, least_us);
  EXPECT_GT(one.us.value, least_us);
  EXPECT_LT(one.us.value, 2 * least_us);
  EXPECT_FALSE(one.outside.empty());
}

TEST(OperatorEstimator, UnalignedProductsTakeLonger) {
  TrainedModels models = h200_models();
  OperatorEstimator estimator(models, kGpu);
  const CallEstimate even = estimator.estimate(work_of(product_call(4096, 1024, 4096)))[0];
  const CallEstimate odd = estimator.estimate(work_of(product_call(4096, 1024, 4097)))[0];
  EXPECT_EQ(even.basis, Basis::samples);
  EXPECT_EQ(odd.basis, Basis::beyond_samples);
  EXPECT_EQ(odd.outside, std::vector<std::string>{"6.6 times as long as in the samples (1 to 9)"});
  EXPECT_NEAR(odd.us.value / even.us.value, 6.6, 0.7);
  EXPECT_NEAR(odd.us.low / even.us.low, 1, 0.1);
}

TEST(OperatorEstimator, WithoutATableTheRooflineIsUsed) {
  TrainedModels models = h200_models();
  OperatorEstimator estimator(models, kGpu);
  CallWork work = work_of(product_call(4096, 4096, 4096));
  work.sampled[0].precisions = {"fp32"};
  work.precision = "fp32";
  const CallEstimate one = estimator.estimate(work)[0];
  EXPECT_EQ(one.basis, Basis::roofline);
  EXPECT_FALSE(one.joules);
  const double least_us = 2.0 * 4096 * 4096 * 4096 / 67e6;
  EXPECT_DOUBLE_EQ(one.us.low, least_us);
  EXPECT_GT(one.us.high, 5 * least_us);
}

TEST(OperatorEstimator, UnknownGpusAreRefused) {
  TrainedModels models = h200_models();
  EXPECT_THROW(OperatorEstimator(models, "GTX"), Error);
}

TEST(ModelPrediction, AddsCallsAndContext) {
  TrainedModels models = h200_models();
  OperatorEstimator estimator(models, kGpu);
  RecordedOperators recorded;
  recorded.launching = {product_call(2048, 4096, 4096, 7)};
  recorded.calls_without_work = 5;
  const ModelPrediction prediction = predict_model(recorded, estimator);
  ASSERT_EQ(prediction.operators.size(), 1U);
  const double calls_us = 7 * prediction.operators[0].us().value;
  EXPECT_NEAR(prediction.context.us.value, 7 * 0.31 + 0.077 * calls_us, 1e-9);
  EXPECT_NEAR(prediction.us.value, calls_us + prediction.context.us.value, 1e-9);
  EXPECT_DOUBLE_EQ(prediction.share_percent(Basis::samples), 100);
  EXPECT_EQ(prediction.calls(), 7U);
  EXPECT_EQ(prediction.calls_without_work, 5U);
}

TEST(ModelPrediction, NamesWhatItCannotPredict) {
  TrainedModels models = h200_models();
  OperatorEstimator estimator(models, kGpu);
  RecordedOperators recorded;
  recorded.launching = {product_call(2048, 4096, 4096),
                        {"aten::sort", {}, {fp16_tensor({8})}, {fp16_tensor({8})}, {}, 3}};
  const ModelPrediction prediction = predict_model(recorded, estimator);
  EXPECT_EQ(prediction.calls_not_predicted(), 3U);
  EXPECT_EQ(prediction.operators.back().missing, "kjoule does not know its work");
  recorded.launching.erase(recorded.launching.begin());
  EXPECT_THROW(predict_model(recorded, estimator), Error);
}

TEST(ModelPrediction, SlowsDownAtThePowerLimit) {
  TrainedModels models = h200_models();
  OperatorEstimator estimator(models, kGpu);
  RecordedOperators recorded;
  recorded.launching = {product_call(8192, 8192, 8192, 10)};
  const ModelPrediction free = predict_model(recorded, estimator);
  const double watts = free.joules->value / (free.us.value * 1e-6);
  const ModelPrediction held = predict_model(recorded, estimator, watts / 1.2);
  ASSERT_TRUE(held.slowdown);
  EXPECT_NEAR(held.us.value / free.us.value, std::pow(1.2, 0.6), 1e-9);
  EXPECT_FALSE(predict_model(recorded, estimator, watts * 1.01).slowdown);
}

}  // namespace
}  // namespace kjoule
