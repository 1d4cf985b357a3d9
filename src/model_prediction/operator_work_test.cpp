#include "model_prediction/operator_work.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TensorSize half_tensor(const std::vector<double>& shape, const std::string& dtype = "Half") {
  TensorSize tensor{dtype, shape, 1, 0};
  for (const double size : shape) tensor.elements *= size;
  tensor.bytes = tensor.elements * (dtype == "Float" ? 4 : dtype == "Long" ? 8 : 2);
  return tensor;
}

RecordedOperator call_of(const std::string& name, std::vector<TensorSize> inputs,
                         std::vector<TensorSize> outputs = {}, nlohmann::json arguments = {}) {
  return {"aten::" + name, std::move(arguments), std::move(inputs), std::move(outputs), {}, 1};
}

using Sizes = std::vector<double>;

TEST(CallWork, MatrixProductsHaveTheFeaturesOfLinear) {
  const CallWork linear =
      work_of(call_of("linear", {half_tensor({2, 5, 1024}), half_tensor({3072, 1024}), half_tensor({3072})},
                      {half_tensor({2, 5, 3072})}));
  const CallWork addmm =
      work_of(call_of("addmm", {half_tensor({3072}), half_tensor({10, 1024}), half_tensor({1024, 3072})}));
  const CallWork mm = work_of(call_of("mm", {half_tensor({10, 1024}), half_tensor({1024, 3072})}));
  for (const CallWork& work : {linear, addmm, mm}) {
    ASSERT_EQ(work.sampled.size(), 1U);
    EXPECT_EQ(work.sampled[0].operations[0], "linear");
    EXPECT_EQ(work.sampled[0].work.features, (Sizes{10, 1024, 3072}));
    EXPECT_EQ(work.flops, 2.0 * 10 * 1024 * 3072);
    EXPECT_EQ(work.precision, "fp16");
  }
}

TEST(CallWork, BatchedProductsHaveTheFeaturesOfAttention) {
  const CallWork scores = work_of(call_of("bmm", {half_tensor({16, 512, 64}), half_tensor({16, 64, 512})}));
  EXPECT_EQ(scores.sampled[0].operations[0], "baddbmm");
  const OperatorWork sampled = find_operator_kind("baddbmm")->work({1, 1, 16, 512, 1024});
  EXPECT_EQ(scores.sampled[0].work.features, sampled.features);
  EXPECT_EQ(scores.sampled[0].work.flops, sampled.flops);
  EXPECT_EQ(scores.sampled[0].work.streams, sampled.streams);
  const CallWork mixing = work_of(call_of("bmm", {half_tensor({16, 512, 512}), half_tensor({16, 512, 64})}));
  EXPECT_EQ(mixing.sampled[0].operations[0], "bmm");
  EXPECT_EQ(mixing.sampled[0].work.features, find_operator_kind("bmm")->work({1, 1, 16, 512, 1024}).features);
}

TEST(CallWork, RowsAndPicturesHaveTheFeaturesOfSampledOperators) {
  const CallWork norm =
      work_of(call_of("layer_norm", {half_tensor({8, 512, 768})}, {half_tensor({8, 512, 768})},
                      {nullptr, nlohmann::json::array({768})}));
  EXPECT_EQ(norm.sampled[0].work.features, (Sizes{8, 512, 768}));
  const CallWork gelu =
      work_of(call_of("gelu", {half_tensor({8, 512, 3072})}, {half_tensor({8, 512, 3072})}));
  EXPECT_EQ(gelu.sampled[0].work.streams, find_operator_kind("gelu")->work({1, 8, 512, 768}).streams);
  const CallWork softmax =
      work_of(call_of("softmax", {half_tensor({1, 16, 512, 512})}, {half_tensor({1, 16, 512, 512})}));
  EXPECT_EQ(softmax.sampled[0].work.features, find_operator_kind("softmax")->work({1, 1, 16, 512}).features);
  const CallWork attention = work_of(
      call_of("scaled_dot_product_attention",
              {half_tensor({2, 16, 512, 64}), half_tensor({2, 16, 512, 64}), half_tensor({2, 16, 512, 64})},
              {half_tensor({2, 16, 512, 64})}, {nullptr, nullptr, nullptr, nullptr, 0, true}));
  EXPECT_EQ(attention.sampled[0].operations[0], "flash_atten_causal");
  EXPECT_EQ(attention.sampled[0].work.features, (Sizes{2, 512, 16, 64}));
}

TEST(CallWork, ElementwiseOperatorsMoveTheirBytes) {
  const CallWork work = work_of(
      call_of("mul", {half_tensor({1024, 4096}), half_tensor({1024, 4096})}, {half_tensor({1024, 4096})}));
  EXPECT_EQ(work.bytes, 6.0 * 1024 * 4096);
  EXPECT_EQ(work.sampled[0].operations[0], "res_add");
  EXPECT_NEAR(work.sampled[0].work.streams[0], 1024 * 4096, 1);
  const CallWork wide =
      work_of(call_of("mul", {half_tensor({1024, 4096}, "Float"), half_tensor({1024, 4096}, "Float")},
                      {half_tensor({1024, 4096}, "Float")}));
  EXPECT_NEAR(wide.sampled[0].work.streams[0], 2.0 * 1024 * 4096, 1);
}

TEST(CallWork, ConvolutionsAreProductsOfUnfoldedPictures) {
  const RecordedOperator conv =
      call_of("conv2d", {half_tensor({32, 64, 56, 56}), half_tensor({128, 64, 3, 3})},
              {half_tensor({32, 128, 56, 56})});
  const CallWork work = work_of(conv);
  EXPECT_EQ(work.flops, 2.0 * 32 * 56 * 56 * 128 * 64 * 9);
  EXPECT_EQ(work.sampled[0].work.features, (Sizes{32 * 56 * 56, 64 * 9, 128}));
  EXPECT_EQ(work.sampled[0].likeness, Likeness::distant);
  const CallWork grouped =
      work_of(call_of("conv2d", {half_tensor({32, 64, 56, 56}), half_tensor({64, 1, 3, 3})},
                      {half_tensor({32, 64, 56, 56})}));
  EXPECT_TRUE(grouped.sampled.empty());
  EXPECT_EQ(grouped.flops, 2.0 * 32 * 56 * 56 * 64 * 9);
}

TEST(CallWork, OneTokenThatAttendsToManyHasNoSamples) {
  const CallWork work = work_of(
      call_of("scaled_dot_product_attention",
              {half_tensor({1, 32, 1, 128}), half_tensor({1, 32, 512, 128}), half_tensor({1, 32, 512, 128})},
              {half_tensor({1, 32, 1, 128})}));
  EXPECT_TRUE(work.sampled.empty());
  EXPECT_TRUE(work.unknown.empty());
  EXPECT_EQ(work.flops, 4.0 * 32 * 512 * 128);
}

TEST(CallWork, IsUnknownForOtherOperatorsAndWithoutTensors) {
  EXPECT_EQ(work_of(call_of("sort", {half_tensor({8})}, {half_tensor({8})})).unknown,
            "kjoule does not know its work");
  for (const char* name :
       {"linear", "mm", "conv2d", "gelu", "softmax", "layer_norm", "embedding",
        "scaled_dot_product_attention", "convolution_backward", "embedding_dense_backward"})
    EXPECT_NE(work_of(call_of(name, {})).unknown, "") << name;
}

}  // namespace
}  // namespace kjoule
