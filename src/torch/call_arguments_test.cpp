#include "torch/call_arguments.hpp"

#include <ATen/core/dispatch/Dispatcher.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace kjoule::runner {
namespace {

using Json = nlohmann::json;

const c10::FunctionSchema& schema(const char* name, const char* overload) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, overload).schema();
}

std::optional<torch::jit::Stack> make_stack(const char* name, const char* overload, const char* arguments) {
  return CallArguments(at::kCPU, 1).make_stack(schema(name, overload), Json::parse(arguments));
}

TEST(CallArguments, HaveTheShapesStridesAndTypesAskedFor) {
  const auto stack =
      make_stack("aten::addmm", "", R"([{"tensor": {"dtype": "Half", "shape": [4], "strides": [1]}},
      {"tensor": {"dtype": "Half", "shape": [5, 8], "strides": [8, 1]}},
      {"tensor": {"dtype": "Half", "shape": [8, 4], "strides": [1, 8]}}, 1, {"double": "0.5"}])");
  ASSERT_TRUE(stack);
  const at::Tensor weight = (*stack)[2].toTensor();
  EXPECT_EQ(weight.scalar_type(), at::kHalf);
  EXPECT_EQ(weight.sizes(), at::IntArrayRef({8, 4}));
  EXPECT_EQ(weight.strides(), at::IntArrayRef({1, 8}));
  EXPECT_EQ((*stack)[4].toScalar().toDouble(), 0.5);
  EXPECT_GT(weight.to(at::kFloat).abs().sum().item<float>(), 1);
}

TEST(CallArguments, OverloadsThatDoNotFitAreDistinguished) {
  const char* with_number = R"([{"tensor": {"dtype": "Float", "shape": [4], "strides": [1]}}, 2, 1])";
  EXPECT_TRUE(make_stack("aten::add", "Scalar", with_number));
  EXPECT_FALSE(make_stack("aten::add", "Tensor", with_number));
  const char* with_tensor = R"([{"tensor": {"dtype": "Float", "shape": [4], "strides": [1]}},
                                {"tensor": {"dtype": "Float", "shape": [4], "strides": [1]}}, 1])";
  EXPECT_FALSE(make_stack("aten::add", "Scalar", with_tensor));
  EXPECT_TRUE(make_stack("aten::add", "Tensor", with_tensor));
  EXPECT_FALSE(make_stack("aten::relu", "", "[1, 2, 3]"));
}

TEST(CallArguments, WhatIsLeftOutIsTheDefault) {
  const auto stack =
      make_stack("aten::gelu", "", R"([{"tensor": {"dtype": "Float", "shape": [4], "strides": [1]}}, null])");
  ASSERT_TRUE(stack);
  EXPECT_EQ((*stack)[1].toStringRef(), "none");
}

TEST(CallArguments, TensorsThatTheProgramLeftUndefinedStayUndefined) {
  const char* matrix = R"({"tensor": {"dtype": "Float", "shape": [2, 4], "strides": [4, 1]}})";
  const char* seed = R"({"tensor": {"dtype": "Long", "shape": [], "strides": []}})";
  const auto attention = [&](const char* first) {
    return fmt::format(
        R"([{0}, {1}, {1}, {1}, {1}, {1}, {2}, {2}, null, null, null, 4, 4, {{"double": "0"}}, true, null])",
        first, matrix, seed);
  };
  const auto stack = make_stack("aten::_cudnn_attention_backward", "", attention(matrix).c_str());
  ASSERT_TRUE(stack);
  EXPECT_FALSE((*stack)[8].toTensor().defined());
  EXPECT_FALSE((*stack)[6].toTensor().unsafeGetTensorImpl()->is_wrapped_number());
  EXPECT_FALSE(make_stack("aten::_cudnn_attention_backward", "", attention("null").c_str()));
}

TEST(CallArguments, IndicesAreValid) {
  const auto stack = make_stack("aten::embedding", "",
                                R"([{"tensor": {"dtype": "Float", "shape": [10, 4], "strides": [4, 1]}},
      {"tensor": {"dtype": "Long", "shape": [1000], "strides": [1]}}, -1, false, false])");
  ASSERT_TRUE(stack);
  const at::Tensor indices = (*stack)[1].toTensor();
  EXPECT_EQ(indices.max().item<int64_t>(), 9);
  EXPECT_EQ(indices.min().item<int64_t>(), 0);
  const Json gather = Json::parse(R"([{"tensor": {"dtype": "Float", "shape": [3, 7], "strides": [7, 1]}}, -1,
      {"tensor": {"dtype": "Long", "shape": [3, 2], "strides": [2, 1]}}])");
  EXPECT_EQ(index_limit("aten::gather", gather, 2), 7);
}

TEST(CallArguments, EnumerationsHaveTheirValuesOnly) {
  const auto fits = [](const char* overload, const char* more) {
    return make_stack(
               "aten::to", overload,
               fmt::format(R"([{{"tensor": {{"dtype": "Float", "shape": [4], "strides": [1]}}}}, {}])", more)
                   .c_str())
        .has_value();
  };
  EXPECT_TRUE(fits("dtype", "6, false, false, 1"));
  EXPECT_TRUE(fits("dtype", "15"));                                               // bfloat16
  for (const char* type : {"-1", "12", "99", "1000000", "-9223372036854775808"})  // 12: a quantized type
    EXPECT_FALSE(fits("dtype", type)) << type;
  for (const char* format : {"-1", "4", "127", "256"})
    EXPECT_FALSE(fits("dtype", fmt::format("6, false, false, {}", format).c_str())) << format;
  EXPECT_TRUE(fits("dtype_layout", "6, 0"));
  for (const char* layout : {"-1", "1", "2", "8", "9"})
    EXPECT_FALSE(fits("dtype_layout", fmt::format("6, {}", layout).c_str())) << layout;
}

TEST(CallArguments, VariancesArePositive) {
  const auto stack = make_stack("aten::native_batch_norm", "",
                                R"([{"tensor": {"dtype": "Float", "shape": [2, 100], "strides": [100, 1]}},
      null, null, {"tensor": {"dtype": "Float", "shape": [100], "strides": [1]}},
      {"tensor": {"dtype": "Float", "shape": [100], "strides": [1]}}, false, {"double": "0.1"}, {"double": "1e-05"}])");
  ASSERT_TRUE(stack);
  EXPECT_LT((*stack)[3].toTensor().min().item<float>(), 0);
  EXPECT_GT((*stack)[4].toTensor().min().item<float>(), 0);
}

TEST(CallArguments, ANumberBesideATensorStaysANumber) {
  const auto stack =
      make_stack("aten::div_", "Tensor", R"([{"tensor": {"dtype": "Float", "shape": [4], "strides": [1]}},
      {"tensor": {"dtype": "Double", "shape": [], "strides": []}}])");
  ASSERT_TRUE(stack);
  EXPECT_TRUE((*stack)[1].toTensor().unsafeGetTensorImpl()->is_wrapped_number());
}

TEST(CallArguments, LargeTensorsRepeatWhatWasDrawn) {
  const auto stack = make_stack("aten::relu", "",
                                R"([{"tensor": {"dtype": "BFloat16", "shape": [3000000], "strides": [1]}}])");
  ASSERT_TRUE(stack);
  EXPECT_NE((*stack)[0].toTensor()[2999999].item<float>(), 0);
}

TEST(CallArguments, ExpandedTensorsShareTheirElements) {
  const auto stack = make_stack(
      "aten::relu", "", R"([{"tensor": {"dtype": "Float", "shape": [1000000000, 2], "strides": [0, 1]}}])");
  ASSERT_TRUE(stack);
  EXPECT_EQ((*stack)[0].toTensor().storage().nbytes(), 8U);
}

}  // namespace
}  // namespace kjoule::runner
