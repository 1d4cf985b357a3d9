#include "importers/known_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "importers/import.hpp"
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
      .call_of(launched(name, grid, block), {per_thread, 1024, 132})
      .call.value_or(OperatorCall{"none"});
}

std::string reason_of(const std::string& name, Extent grid, Extent block, const TableFacts& facts = {}) {
  const KnownCall known = KnownKernels::bundled().call_of(launched(name, grid, block), facts);
  return known.call ? known.call->name : known.why_not;
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
  EXPECT_EQ(reason_of(norm, {5, 1, 1}, {32, 4, 1}), "no kernel of the table tells how long its rows are");
}

/// An unrolled kernel of libtorch 2.7 or later.
std::string unrolled(const std::string& functor, const std::string& loads) {
  return "void at::native::unrolled_elementwise_kernel<" + functor +
         ", std::array<char*, 3ul>, 4, TrivialOffsetCalculator<2, unsigned int>, "
         "TrivialOffsetCalculator<1, unsigned int>, at::native::memory::" +
         loads + " >(int)";
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

TEST(KnownKernels, AThreadFillsSixteenElementsOfOneByte) {
  const std::string fill =
      "void at::native::vectorized_elementwise_kernel<16, at::native::FillFunctor<bool>, std::array<char*, "
      "1ul> >(int)";
  EXPECT_EQ(call_of(fill, {2, 1, 1}, {128, 1, 1}).arguments, Json({tensor("Bool", {4096}, {1}), 1}));
  EXPECT_EQ(call_of(fill, {2, 1, 1}, {128, 1, 1}, 4).arguments, Json({tensor("Bool", {1024}, {1}), 1}))
      << "before libtorch 2.7";
}

TEST(KnownKernels, NamesOfUnrolledKernelsSayHowManyElementsAThreadComputes) {
  const std::string copy =
      "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() "
      "const::{lambda()#7}::operator()() const::{lambda(float)#1}";
  const std::string casts = "LoadWithCast<1>, at::native::memory::StoreWithCast<1>";
  EXPECT_EQ(call_of(unrolled(copy, casts), {24576, 1, 1}, {128, 1, 1}).arguments,
            Json({tensor("Float", {12582912}, {1}), tensor("Half", {12582912}, {1}), false}));
  const std::string add = "at::native::CUDAFunctor_add<float>";
  EXPECT_EQ(call_of(unrolled(add, casts), {1, 1, 1}, {128, 1, 1}).arguments,
            Json({tensor("Float", {512}, {1}), tensor("Half", {512}, {1}), 1}))
      << "one of its tensors is converted";
  EXPECT_EQ(
      call_of(unrolled(add, "LoadWithoutCast, at::native::memory::StoreWithoutCast"), {1, 1, 1}, {128, 1, 1})
          .arguments[1],
      tensor("Float", {512}, {1}));
}

/// A reduction of 16-bit floating-point numbers; `columns` is how many a thread reduces.
std::string reduction(int columns, const std::string& functor) {
  return "void at::native::reduce_kernel<" + std::to_string(512 / columns) + ", " + std::to_string(columns) +
         ", at::native::ReduceOp<c10::Half, " + functor + ", unsigned int, long, 4> >(int)";
}

const std::string kSum =
    "at::native::func_wrapper_t<c10::Half, at::native::sum_functor<c10::Half, float, "
    "c10::Half>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>";

TEST(KnownKernels, ReductionsThatBlocksShareHaveSixteenElementsAThread) {
  const OperatorCall row = call_of(reduction(1, "at::native::ArgMaxOps<float>"), {1, 31, 1}, {512, 1, 1});
  EXPECT_EQ(row.name, "aten::argmax");
  EXPECT_EQ(row.arguments, Json({tensor("Half", {1, 1, 253952}, {253952, 253952, 1}), 2, false}))
      << "a row of 250880, up to the last full thread";
  const OperatorCall columns = call_of(reduction(4, kSum), {6, 64, 1}, {32, 4, 1});
  EXPECT_EQ(columns.name, "aten::sum.dim_IntList");
  EXPECT_EQ(columns.arguments,
            Json({tensor("Half", {1, 4096, 768}, {3145728, 768, 1}), Json::array({1}), false}));
}

TEST(KnownKernels, OtherReductionsDoNotTellTheirSizes) {
  const std::string reason = "how many elements it reduces to one is in neither its name nor its grid";
  EXPECT_EQ(reason_of(reduction(1, kSum), {1, 1, 1}, {512, 1, 1}), reason) << "one block";
  EXPECT_EQ(reason_of(reduction(1, kSum), {8, 31, 1}, {32, 16, 1}), reason) << "rows or columns";
  EXPECT_EQ(reason_of(reduction(4, kSum), {24, 64, 1}, {32, 4, 1}), reason)
      << "the blocks may be as many as the GPU runs at once";
}

TEST(KnownKernels, AReductionByOneThreadIsOfOneElement) {
  const Extent one{1, 1, 1};
  const std::string largest =
      "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<long, at::native::func_wrapper_t<long, "
      "at::native::MaxNanFunctor<long> >, unsigned int, long, 4> >(int)";
  const OperatorCall call = call_of(largest, one, one);
  EXPECT_EQ(call.name, "aten::amax");
  EXPECT_EQ(call.arguments, Json({tensor("Long", {1, 1, 1}, {1, 1, 1}), Json::array({2}), false}));
  EXPECT_EQ(call_of("reduction_prod_kernel", one, one).name, "aten::prod.dim_int");
  const std::string reason = "how many elements it reduces to one is in neither its name nor its grid";
  EXPECT_EQ(reason_of(largest, one, {2, 1, 1}), reason) << "two or three elements";
  EXPECT_EQ(reason_of(largest, {2, 1, 1}, one), reason) << "several results";
  EXPECT_EQ(reason_of("reduction_prod_kernel", one, {32, 1, 1}), reason);
}

TEST(KnownKernels, ScansOfCubHaveFullTiles) {
  const Extent one{1, 1, 1}, threads{128, 1, 1};
  const std::string scan =
      "void at_cuda_detail::cub::DeviceScanKernel<at_cuda_detail::cub::DeviceScanPolicy<long>::Policy600, "
      "long*, "
      "long*, at_cuda_detail::cub::ScanTileState<long, true>, std::plus<long>, "
      "at_cuda_detail::cub::NullType, int>(long*, long*)";
  const std::string before =
      "void at_cuda_detail::cub::DeviceScanInitKernel<at_cuda_detail::cub::ScanTileState<long, true> "
      ">(at_cuda_detail::cub::ScanTileState<long, true>, int)";
  const Json arguments{tensor("Long", {896}, {1}), 0, nullptr};
  EXPECT_EQ(call_of(scan, one, threads).name, "aten::cumsum");
  EXPECT_EQ(call_of(scan, one, threads).arguments, arguments);
  EXPECT_EQ(call_of(scan, {3, 1, 1}, threads).arguments[0], tensor("Long", {2688}, {1}));
  const std::string reason = "how many elements it scans is in neither its name nor its grid";
  EXPECT_EQ(reason_of(before, one, threads), reason) << "the table has no scan";
  ImportedTable table;
  table.kernels = {launched(before, one, threads), launched(scan, one, threads)};
  const ReplayPlan plan = make_replay_plan(table);
  ASSERT_TRUE(plan.kernels[0].call && plan.kernels[1].call);
  EXPECT_EQ(*plan.kernels[0].call, *plan.kernels[1].call) << "one call launches both kernels";
  EXPECT_EQ(reason_of("void cub::DeviceScanKernel<int>(int)", one, threads), reason);
}

TEST(KnownKernels, ConcatenationsOfAlignedRowsHaveAThreadForSixteenBytes) {
  const std::string name =
      "void at::native::(anonymous namespace)::CatArrayBatchedCopy_vectorized<at::native::(anonymous "
      "namespace)::OpaqueType<2u>, unsigned int, 3, 128, 1, 16, 8>(char*)";
  const OperatorCall call = call_of(name, {3072, 3, 1}, {128, 1, 1});
  EXPECT_EQ(call.name, "aten::cat");
  const Json part = tensor("Half", {1, 32, 98304}, {3145728, 98304, 1});
  EXPECT_EQ(call.arguments, Json({{part, part, part}, 2}));
  const std::string reason = "the sizes of the concatenated tensors are in neither its name nor its grid";
  EXPECT_EQ(reason_of(name, {3072, 3, 1}, {128, 1, 1}), reason)
      << "of an unknown GPU, the grid may be at its limit";
  EXPECT_EQ(reason_of(name, {1, 129, 1}, {128, 1, 1}), reason) << "more tensors than a kernel takes";
  EXPECT_EQ(reason_of("CatArrayBatchedCopy<c10::Half, unsigned int, 3, 64, 64>", {264, 2, 1}, {512, 1, 1}),
            reason);
}

TEST(KnownKernels, GatheredRowsHaveTheirBytes) {
  const OperatorCall call =
      call_of("void at::native::vectorized_gather_kernel<16, long>(char*, char*)", {5, 1, 1}, {128, 1, 1});
  EXPECT_EQ(call.name, "aten::index_select");
  EXPECT_EQ(call.arguments, Json({tensor("Byte", {5, 2048}, {2048, 1}), 0, tensor("Long", {5}, {1})}));
}

/// Returns the elements of the largest tensor of a call.
double most_elements(const OperatorCall& call) {
  double most = 0;
  for_each_tensor(call.arguments, [&](const Json& tensor) {
    double elements = 1;
    for (const Json& size : tensor.at("shape")) elements *= size.get<double>();
    most = std::max(most, elements);
  });
  return most;
}

TEST(KnownKernels, InferTheSizesThatATraceOfATrainingStepStates) {
  const ImportedTable trace = import_file(KJOULE_TRACES "/gpt2_train_step_h200.json.gz", {});
  ImportedTable names = trace;
  for (ImportedKernel& kernel : names.kernels) kernel.launched_by = {};
  const ReplayPlan plan = make_replay_plan(names), stated = make_replay_plan(trace);
  double inferred_ns = 0, all_ns = 0;
  size_t compared = 0;
  for (size_t k = 0; k < names.kernels.size(); ++k) {
    const auto time_ns = static_cast<double>(names.kernels[k].times->total_ns);
    all_ns += time_ns;
    if (!plan.kernels[k].is_inferred) continue;
    inferred_ns += time_ns;
    if (!stated.kernels[k].call) continue;
    const auto& found = std::get<OperatorCall>(plan.calls[*plan.kernels[k].call]);
    const auto& truth = std::get<OperatorCall>(stated.calls[*stated.kernels[k].call]);
    constexpr double kElementsOfABlock = 1024;
    const double least = most_elements(truth), most = least + kElementsOfABlock;
    // The trace does not state what a gather reads in bytes, nor the elements of an empty output.
    if (truth.name == "aten::gather" || least == 0) continue;
    EXPECT_GE(most_elements(found), least) << names.kernels[k].name;
    EXPECT_LT(most_elements(found), most) << names.kernels[k].name;
    ++compared;
  }
  EXPECT_GT(compared, 50U);
  EXPECT_GT(inferred_ns / all_ns, 0.43);
}

TEST(KnownKernels, OthersHaveNoCall) {
  const Extent one{1, 1, 1};
  EXPECT_EQ(reason_of("nvjet_hsh_64x8_TNT", one, one), "");
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
  EXPECT_FALSE(KnownKernels::bundled().call_of(without_grid, {}).call.has_value());
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
            "rules.jsonl:1: the rule has not exactly one of \"functor\", \"operator\" and \"reason\"");
  EXPECT_EQ(error_of(R"({"match": "x", "functor": "f"})"),
            "rules.jsonl:1: the rule has only one of \"functor\" and \"sizes\"");
  EXPECT_EQ(error_of(R"({"match": "x", "reason": "y", "where": 1})"),
            "rules.jsonl:1: the rule is not a JSON object with values of the right kinds");
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

TEST(ReplayPlan, ReportsWhichSizesNamesAndGridsDoNotTell) {
  ImportedTable table;
  table.kernels = {launched("nvjet_hsh_64x8_TNT", {2, 1, 1}, {128, 1, 1}),
                   launched("void at::native::(anonymous namespace)::CatArrayBatchedCopy<c10::Half, unsigned "
                            "int, 3, 64, 64>(int)",
                            {56, 2, 1}, {512, 1, 1})};
  table.kernels[0].category = "gemm";
  const std::string source = "supply operators and shapes from another file with --like TRACE or --model M";
  EXPECT_EQ(make_replay_plan(table).kernels[0].why_not,
            "K of this matrix product is in neither its name nor its grid; add M, N and K to its row, or " +
                source);
  EXPECT_EQ(make_replay_plan(table).kernels[1].why_not,
            "the sizes of the concatenated tensors are in neither its name nor its grid; " + source);
  table.kernels[0].launched_by.name = "aten::mm";
  EXPECT_EQ(make_replay_plan(table).kernels[0].why_not,
            "the input shapes of aten::mm are unknown: record_shapes was off; profile with "
            "record_shapes=True");
}

}  // namespace
}  // namespace kjoule
