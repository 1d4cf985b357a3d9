#include "importers/known_kernels.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "importers/replay_plan.hpp"

namespace kjoule {
namespace {

using Json = nlohmann::json;

ImportedKernel launched(const std::string& name, Extent grid, Extent block) {
  ImportedKernel kernel;
  kernel.name = name;
  kernel.grid = grid;
  kernel.block = block;
  return kernel;
}

OperatorCall call_of(const std::string& name, Extent grid, Extent block, int per_thread = 8) {
  return KnownKernels::bundled()
      .call_of(launched(name, grid, block), {per_thread, 1024})
      .value_or(OperatorCall{"none"});
}

Json tensor(const char* dtype, const Json& shape, const Json& strides) {
  return {{"tensor", {{"dtype", dtype}, {"shape", shape}, {"strides", strides}}}};
}

const std::string kAdd =
    "void at::native::vectorized_elementwise_kernel<8, at::native::CUDAFunctor_add<c10::Half>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::Half>, std::array<char*, 3ul>)";

TEST(KnownKernels, ElementwiseKernelsHaveAsManyElementsAsTheirBlocks) {
  const OperatorCall add = call_of(kAdd, {16, 1, 1}, {128, 1, 1});
  EXPECT_EQ(add.name, "aten::add.Tensor");
  const Json half = tensor("Half", {16384}, {1});
  EXPECT_EQ(add.arguments, Json({half, half, 1}));
  EXPECT_EQ(call_of(kAdd, {16, 1, 1}, {128, 1, 1}, 4).arguments[0], tensor("Half", {8192}, {1}));
}

TEST(KnownKernels, StridedOnesReadATensorByColumns) {
  const OperatorCall mul = call_of(
      "void at::native::elementwise_kernel<128, 4, "
      "at::native::gpu_kernel_impl_nocast<at::native::BinaryFunctor<c10::Half, c10::Half, c10::Half, "
      "at::native::binary_internal::MulFunctor<float> > >(at::TensorIteratorBase&, "
      "at::native::BinaryFunctor<c10::Half, c10::Half, c10::Half, "
      "at::native::binary_internal::MulFunctor<float> > "
      "const&)::{lambda(int)#1}>(int)",
      {10, 1, 1}, {128, 1, 1});
  EXPECT_EQ(mul.name, "aten::mul.Tensor");
  EXPECT_EQ(mul.arguments, Json({tensor("Half", {32, 160}, {160, 1}), tensor("Half", {32, 160}, {1, 32})}));
}

TEST(KnownKernels, OfSeveralTensorsTheLastOneIsStrided) {
  const OperatorCall copy = call_of(
      "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl<at::native::(anonymous "
      "namespace)::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
      "const::{lambda()#20}::operator()() "
      "const::{lambda(c10::Half)#1}>(at::TensorIteratorBase&)::{lambda(int)#1}>(int)",
      {10, 1, 1}, {128, 1, 1});
  EXPECT_EQ(copy.arguments,
            Json({tensor("Half", {32, 160}, {160, 1}), tensor("Half", {32, 160}, {1, 32}), false}));
}

TEST(KnownKernels, LambdasOfLibtorchAreTold) {
  const std::string backward =
      "void at::native::vectorized_elementwise_kernel<8, "
      "at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, "
      "at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() "
      "const::{lambda(c10::BFloat16, c10::BFloat16)#1}, std::array<char*, 3ul> >(int)";
  const OperatorCall gelu = call_of(backward, {2, 1, 1}, {128, 1, 1});
  EXPECT_EQ(gelu.name, "aten::gelu_backward");
  EXPECT_EQ(gelu.arguments, Json({tensor("BFloat16", {2048}, {1}), tensor("BFloat16", {2048}, {1}), "none"}));
  const OperatorCall copy = call_of(
      "void at::native::vectorized_elementwise_kernel<8, "
      "at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}, std::array<char*, "
      "2ul> >(int)",
      {1, 1, 1}, {128, 1, 1});
  EXPECT_EQ(copy.name, "aten::copy_");
  EXPECT_EQ(copy.arguments, Json({tensor("BFloat16", {1024}, {1}), tensor("Float", {1024}, {1}), false}));
  const OperatorCall tanh = call_of(
      "void at::native::vectorized_elementwise_kernel<4, "
      "at::native::tanh_kernel_cuda(at::TensorIteratorBase&)::"
      "{lambda()#2}::operator()() const::{lambda()#2}::operator()() const::{lambda(float)#1}, "
      "std::array<char*, 2ul> "
      ">(int)",
      {1, 1, 1}, {128, 1, 1}, 4);
  EXPECT_EQ(tanh.name, "aten::tanh");
}

TEST(KnownKernels, SoftmaxByWarpsHasRowsOfThePowerOfTwo) {
  const std::string warps =
      "void (anonymous namespace)::softmax_warp_forward<c10::Half, c10::Half, float, 10, false, "
      "false>(c10::Half*)";
  const OperatorCall call = call_of(warps, {64, 1, 1}, {32, 4, 1});
  EXPECT_EQ(call.name, "aten::_softmax");
  EXPECT_EQ(call.arguments, Json({tensor("Half", {256, 1024}, {1024, 1}), -1, false}));
  const std::string short_rows =
      "void (anonymous namespace)::softmax_warp_forward<c10::Half, c10::Half, float, 5, true, "
      "false>(c10::Half*)";
  EXPECT_EQ(call_of(short_rows, {64, 1, 1}, {32, 4, 1}).arguments[0], tensor("Half", {512, 32}, {32, 1}));
  EXPECT_EQ(call_of(short_rows, {64, 1, 1}, {32, 4, 1}).name, "aten::_log_softmax");
}

TEST(KnownKernels, FlashAttentionHasBatchAndHeadsInItsGrid) {
  const OperatorCall call = call_of(
      "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, "
      "cutlass::bfloat16_t, Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> >, false, true, false, "
      "false, "
      "true, true, false, false>(pytorch_flash::Flash_fwd_params)",
      {4, 2, 16}, {128, 1, 1});
  EXPECT_EQ(call.name, "aten::_scaled_dot_product_flash_attention");
  EXPECT_EQ(call.arguments[2], tensor("BFloat16", {2, 16, 512, 64}, {524288, 32768, 64, 1}));
  EXPECT_EQ(call.arguments[4], true) << "causal";
}

TEST(KnownKernels, RowsOfNormalisationsAreThoseOfTheTablesProducts) {
  const std::string norm =
      "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::Half, float>(int, float)";
  const OperatorCall call = call_of(norm, {5, 1, 1}, {32, 4, 1});
  EXPECT_EQ(call.name, "aten::native_layer_norm");
  EXPECT_EQ(call.arguments[0], tensor("Half", {5, 1024}, {1024, 1}));
  EXPECT_EQ(call.arguments[1], Json::array({1024}));
  EXPECT_FALSE(KnownKernels::bundled().call_of(launched(norm, {5, 1, 1}, {32, 4, 1}), {8, {}}).has_value());
  ImportedTable table;
  table.kernels.resize(3);
  for (size_t i = 0; i < 3; ++i) {
    table.kernels[i].launches = 2;
    table.kernels[i].gemm.k = i == 1 ? 64 : 512;
  }
  EXPECT_EQ(table_facts(table).hidden, 512);
}

TEST(KnownKernels, CopiesThatConvertHaveTheTypeOfTheirResult) {
  const OperatorCall call = call_of(
      "void at::native::unrolled_elementwise_kernel<at::native::(anonymous "
      "namespace)::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() "
      "const::{lambda()#20}::operator()() const::{lambda(c10::Half)#1}, at::detail::Array<char*, 2>, "
      "TrivialOffsetCalculator<1, unsigned int>, TrivialOffsetCalculator<1, unsigned int>, "
      "at::native::memory::LoadWithCast<1>, at::native::memory::StoreWithCast>(int)",
      {1, 1, 1}, {128, 1, 1}, 4);
  EXPECT_EQ(call.name, "aten::copy_");
  EXPECT_EQ(call.arguments, Json({tensor("Half", {512}, {1}), tensor("Float", {512}, {1}), false}));
}

TEST(KnownKernels, OthersHaveNoCall) {
  const Extent one{1, 1, 1};
  EXPECT_EQ(call_of("nvjet_hsh_64x8_TNT", one, one).name, "none");
  const std::string huge =
      "void (anonymous namespace)::softmax_warp_forward<c10::Half, c10::Half, float, 40, false, "
      "false>(c10::Half*)";
  EXPECT_EQ(call_of(huge, {int64_t{1} << 40, 1, 1}, one).name, "none") << "each size fits, but not both";
  EXPECT_EQ(
      call_of("void at::native::vectorized_elementwise_kernel<4, unheard_of<float>, x>(int)", one, one).name,
      "none");
  EXPECT_EQ(call_of(kAdd, {int64_t{1} << 31, 1, 1}, {1 << 20, 1, 1}).name, "none")
      << "larger than any memory";
  EXPECT_EQ(call_of(kAdd, {-1, 1, 1}, {128, 1, 1}).name, "none");
  ImportedKernel without_grid = launched(kAdd, one, one);
  without_grid.grid.reset();
  EXPECT_FALSE(KnownKernels::bundled().call_of(without_grid, {8, {}}).has_value());
}

TEST(KnownKernels, RulesThatAreWrongAreNamed) {
  const auto error_of = [](const char* text) {
    try {
      KnownKernels(text, "rules.jsonl");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(error_of("[]"), "rules.jsonl:1: the rule is not a JSON object");
  EXPECT_EQ(error_of("\n{"), "rules.jsonl:2: the rule is not a JSON object with values of the right kinds");
  EXPECT_EQ(error_of(R"({"operator": "aten::add"})"), "rules.jsonl:1: the rule has no \"match\"");
  EXPECT_EQ(error_of(R"({"match": "x", "operator": "y", "color": 1})"),
            "rules.jsonl:1: \"color\" is not a known key of a rule");
  EXPECT_EQ(error_of(R"({"match": "x"})"),
            "rules.jsonl:1: the rule has not exactly one of \"functor\" and \"operator\"");
}

TEST(ReplayPlan, InfersOperatorsOfKnownKernels) {
  ImportedTable table;
  table.kernels = {launched(kAdd, {2, 1, 1}, {128, 1, 1}),
                   launched("nvjet_hsh_64x8_TNT", {2, 1, 1}, {128, 1, 1})};
  const ReplayPlan plan = make_replay_plan(table);
  EXPECT_TRUE(plan.kernels[0].is_inferred);
  EXPECT_EQ(call_name(plan.calls.at(plan.kernels[0].call.value())), "aten::add.Tensor");
  EXPECT_EQ(std::get<OperatorCall>(plan.calls[0]).arguments[0], tensor("Half", {2048}, {1}))
      << "libtorch of 2.7 or later accesses 8 elements at once";
  EXPECT_FALSE(plan.kernels[1].is_inferred);
  EXPECT_FALSE(plan.kernels[1].call.has_value());
}

}  // namespace
}  // namespace kjoule
