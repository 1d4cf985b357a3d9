#include "compare/tables/launch_assignment.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

using Json = nlohmann::json;

Launch launch(const std::string& name, const std::vector<std::string>& ranges, int grid_x = 4) {
  Launch made{
      name, Tier::unknown, name + std::to_string(grid_x), {{"grid", {grid_x, 1, 1}}, {"block", {128, 1, 1}}}};
  if (!ranges.empty()) made.detail["ranges"] = ranges;
  return made;
}

ImportedKernel kernel(const std::string& name, uint64_t launches, int64_t total_ns, int grid_x = 4) {
  ImportedKernel kernel;
  kernel.name = name;
  kernel.grid = Extent{grid_x, 1, 1};
  kernel.block = Extent{128, 1, 1};
  kernel.launches = launches;
  kernel.times = RecordedTimes{total_ns, {}, {}};
  return kernel;
}

/// Returns the table of `kernels` after its replay. calls[k] is the call of kernel k; `made` are the calls
/// that were made, and `launches` the launches that they caused. Each launch takes 1 us more than the launch
/// before it.
ReplayedTable replayed(std::vector<ImportedKernel> kernels, const std::vector<std::optional<size_t>>& calls,
                       const std::vector<size_t>& made, const std::vector<Launch>& launches) {
  KernelRules rules;
  ImportedTable table;
  table.iterations = {IterationSource::option, 1, 0, 0};
  ReplayPlan plan;
  for (size_t k = 0; k < kernels.size(); ++k) {
    const KernelClass& is = rules.classify(kernels[k].name);
    kernels[k].tier = is.tier;
    kernels[k].family = is.family;
    kernels[k].category = is.category;
    kernels[k].dtype = is.dtype;
    plan.kernels.push_back({calls[k], calls[k] ? "" : "no operator"});
  }
  table.kernels = std::move(kernels);
  plan.calls.resize(8, OperatorCall{"aten::mm", Json::array()});
  for (size_t k = 0; k < table.kernels.size(); ++k)
    if (table.kernels[k].gemm.stated())
      plan.calls[*calls[k]] = MatrixProduct{5, 4096, 1024, 1, "float16", "", {}, {}};
  for (size_t k = 0; k < table.kernels.size(); ++k)
    if (table.kernels[k].kind == ActivityKind::memcpy)
      plan.calls[*calls[k]] = MemoryCopy{*table.kernels[k].bytes, true, false, false};
  Recording recording{{}, {}, launches};
  const KernelTable unique = kernel_table(recording);
  std::vector<KernelResult> results;
  for (const Kernel& one : unique.kernels) {
    KernelResult& result = results.emplace_back();
    result.name = one.name;
    result.isolated_s = 1e-6 * static_cast<double>(results.size());
  }
  ReplayedTable replayed = unreplayed_table(table, plan);
  assign_launches(replayed, plan, {made, recording, unique, results, "cuda"}, rules);
  return replayed;
}

TEST(LaunchAssignment, TellsSameFamilyAndDifferentApart) {
  const std::string recorded = "nvjet_hsh_64x8_64x16_1x2_h_bz_TNT";
  const ReplayedTable table =
      replayed({kernel(recorded, 2, 8000), kernel(recorded, 1, 1000, 9), kernel(recorded, 1, 500),
                kernel("custom", 1, 500)},
               {0, 1, 2, std::nullopt}, {0, 1, 2},
               {launch(recorded, {"kjoule calls", "kjoule call 0"}),
                launch("nvjet_hsh_128x8_64x16_1x2_h_bz_TNT", {"kjoule calls", "kjoule call 1"}),
                launch("at::native::fill", {"kjoule calls", "kjoule call 2"}), launch("before all", {})});
  ASSERT_EQ(table.kernels.size(), 4U);
  EXPECT_EQ(table.kernels[0].result, ReplayResult::same);
  EXPECT_EQ(table.kernels[1].result, ReplayResult::same_family);
  EXPECT_EQ(table.kernels[1].ran, "nvjet_hsh_128x8_64x16_1x2_h_bz_TNT");
  EXPECT_EQ(table.kernels[2].result, ReplayResult::different);
  EXPECT_EQ(table.kernels[3].result, ReplayResult::not_replayable);
  EXPECT_EQ(table.kernels[3].why, "no operator");
  EXPECT_NEAR(table.sum_s().value(), 2 * 1e-6 + 2e-6, 1e-15);  // what ran otherwise stands for nothing
  EXPECT_NEAR(table.share(ReplayResult::same), 0.8, 1e-12);
  EXPECT_NEAR(table.share(ReplayResult::same_family), 0.1, 1e-12);
  EXPECT_NEAR(*table.recorded_sum_s(), 10e-6, 1e-15);
}

TEST(LaunchAssignment, AGridThatDiffersIsNotTheSame) {
  const ReplayedTable table =
      replayed({kernel("my_kernel", 1, 100)}, {0}, {0}, {launch("my_kernel", {"kjoule call 0"}, 5)});
  EXPECT_EQ(table.kernels[0].result, ReplayResult::different);
  EXPECT_FALSE(table.sum_s().has_value()) << "nothing that was summed is not 0";
  EXPECT_EQ(table.extra_kernels, 1U);
}

TEST(LaunchAssignment, FindsItsKernelAmongAllThatACallLaunched) {
  const ReplayedTable table =
      replayed({kernel("reduce", 3, 300), kernel("gemm", 3, 300)}, {5, 5}, {5},
               {launch("gemm", {"kjoule call 0"}), launch("reduce", {"kjoule call 0"}),
                launch("fill", {"kjoule call 0"})});
  EXPECT_EQ(table.kernels[0].result, ReplayResult::same);
  EXPECT_NEAR(*table.kernels[0].each_s, 2e-6, 1e-15);
  EXPECT_EQ(table.kernels[1].result, ReplayResult::same);
  EXPECT_NEAR(*table.kernels[1].each_s, 1e-6, 1e-15);
  EXPECT_EQ(table.extra_kernels, 1U);
}

TEST(LaunchAssignment, CopiesAreTheSameByKindAndBytes) {
  ImportedKernel copy = kernel("Memcpy HtoD (Pageable -> Device)", 1, 100), other = copy;
  copy.kind = other.kind = ActivityKind::memcpy;
  copy.bytes = 64;
  other.bytes = 32;
  Launch first{"memcpy HtoD", Tier::cuda_runtime, "memcpy HtoD 64x1x1 B", {{"bytes", 64}}};
  Launch second = first;
  first.detail["ranges"] = {"kjoule call 0"};
  second.detail["ranges"] = {"kjoule call 1"};
  const ReplayedTable table = replayed({copy, other}, {0, 1}, {0, 1}, {first, second});
  EXPECT_EQ(table.kernels[0].result, ReplayResult::same);
  EXPECT_EQ(table.kernels[1].result, ReplayResult::different);
}

TEST(LaunchAssignment, WithoutRangesLaunchesAreTheCallsInOrder) {
  const ReplayedTable table = replayed({kernel("a", 1, 100), kernel("b", 1, 100)}, {3, 1}, {1, 3},
                                       {launch("b", {}), launch("a", {})});
  EXPECT_EQ(table.kernels[0].result, ReplayResult::same);
  EXPECT_EQ(table.kernels[1].result, ReplayResult::same);
  EXPECT_THROW(replayed({kernel("a", 1, 100)}, {0}, {0}, {launch("a", {}), launch("b", {})}), Error);
}

TEST(LaunchAssignment, ACallThatLaunchesNothingIsNotReplayed) {
  const ReplayedTable table =
      replayed({kernel("a", 1, 100), kernel("b", 1, 100)}, {0, 1}, {0, 1}, {launch("a", {"kjoule call 0"})});
  EXPECT_EQ(table.kernels[1].result, ReplayResult::not_replayable);
  EXPECT_EQ(table.kernels[1].why, "aten::mm launched nothing");
}

TEST(LaunchAssignment, ReportsGpuKernelsThatTheCpuReplayed) {
  ImportedKernel recorded = kernel("aten::mm", 1, 0);
  recorded.grid.reset();
  recorded.launched_by = {"aten::mm", {}, {}, {}, {}, Json::array()};
  ReplayedTable table = replayed({kernel("gemm", 2, 8000), recorded, kernel("custom", 1, 500)},
                                 {0, 1, std::nullopt}, {0, 1}, {launch("a", {}), launch("b", {})});
  EXPECT_EQ(table.iterations, 1U);
  EXPECT_EQ(table.replayed_off_gpu(), 0U);
  EXPECT_EQ(table.replayed_on(), "cuda");
  for (ReplayedKernel& kernel : table.kernels)
    if (!kernel.replayed_on.empty()) kernel.replayed_on = "cpu";
  EXPECT_EQ(table.replayed_on(), "cpu");
  EXPECT_EQ(table.replayed_off_gpu(), 1U) << "of the others one was recorded there, one not replayed";
}

TEST(LaunchAssignment, ATableThatCouldNotBeReplayedSaysWhy) {
  ImportedTable table;
  table.kernels = {kernel("gemm", 4, 8000), kernel("custom", 2, 500)};
  ReplayPlan plan;
  plan.calls = {OperatorCall{"aten::mm", Json::array()}};
  plan.kernels = {{0, ""}, {std::nullopt, "no operator"}};
  const ReplayedTable none = unreplayed_table(table, plan, "the device is gone");
  EXPECT_FALSE(none.sum_s());
  EXPECT_FALSE(none.iterations);
  EXPECT_EQ(none.kernels[0].why, "the device is gone");
  EXPECT_EQ(none.kernels[0].call, "aten::mm");
  EXPECT_EQ(none.kernels[1].why, "no operator");
  EXPECT_EQ(none.kernels[1].count, 2.0);
  EXPECT_EQ(none.share(ReplayResult::not_replayable), 1.0);
}

TEST(LaunchAssignment, OneLaunchStandsForOneKernelOfItsCall) {
  const std::string product = "nvjet_hsh_64x8_64x16_1x2_h_bz_TNT";
  // The first kernel is of the same family as the launch; the launch is assigned to the second one, which is
  // the same.
  const ReplayedTable table = replayed({kernel(product, 1, 1000, 9), kernel(product, 1, 1000),
                                        kernel("nvjet_hsh_128x8_64x16_1x2_h_bz_TNT", 1, 10)},
                                       {0, 0, 0}, {0}, {launch(product, {"kjoule calls", "kjoule call 0"})});
  EXPECT_EQ(table.kernels[0].result, ReplayResult::different);
  EXPECT_EQ(table.kernels[1].result, ReplayResult::same);
  EXPECT_EQ(table.kernels[2].result, ReplayResult::different);
  EXPECT_NE(table.kernels[2].why, "");
  EXPECT_NEAR(table.sum_s().value(), 1e-6, 1e-15);
}

TEST(LaunchAssignment, ACallWithoutAKernelHasTheTimeOfAllThatItLaunched) {
  ImportedKernel layer = kernel("transformer.h.0.mlp", 3, 0);
  layer.gemm.m = 5;
  // The call was made twice, and launched two kernels each time.
  const ReplayedTable table = replayed({layer}, {0}, {0, 0},
                                       {launch("maxwell_sgemm_fp16_128x32_tn", {"kjoule call 0"}),
                                        launch("splitKreduce_kernel", {"kjoule call 0"}),
                                        launch("maxwell_sgemm_fp16_128x32_tn", {"kjoule call 1"}),
                                        launch("splitKreduce_kernel", {"kjoule call 1"})});
  EXPECT_EQ(table.kernels[0].result, ReplayResult::not_stated);
  EXPECT_EQ(table.kernels[0].ran, "maxwell_sgemm_fp16_128x32_tn + splitKreduce_kernel");
  EXPECT_NEAR(*table.kernels[0].each_s, 3e-6, 1e-15);
  EXPECT_NEAR(table.sum_s().value(), 3 * 3e-6, 1e-15);
  EXPECT_EQ(table.extra_kernels, 0U);
}

TEST(LaunchAssignment, AMultiplicationIsNoReplayOfAddingUp) {
  const std::string adding =
      "void splitKreduce_kernel<32, 16, int, float, __half>(cublasSplitKParams<float>)";
  const std::string other =
      "void cublasLt::splitKreduce_kernel<32, 16, int, float, __half>(cublasSplitKParams<float>)";
  const ReplayedTable table = replayed(
      {kernel(adding, 1, 100), kernel(adding, 1, 100), kernel("maxwell_sgemm_fp16_128x32_tn", 1, 100)},
      {0, 1, 2}, {0, 1, 2},
      {launch("maxwell_fp16_sgemm_fp16_64x64_tn", {"kjoule call 0"}), launch(other, {"kjoule call 1"}),
       launch(other, {"kjoule call 2"})});
  EXPECT_EQ(table.kernels[0].result, ReplayResult::different);
  EXPECT_EQ(table.kernels[1].result, ReplayResult::same_family);
  EXPECT_EQ(table.kernels[2].result, ReplayResult::different);
}

TEST(LaunchAssignment, TheSameKernelWithAnotherGridSaysSo) {
  const std::string product = "maxwell_sgemm_fp16_128x32_tn";
  const ReplayedTable table =
      replayed({kernel(product, 1, 100, 32)}, {0}, {0}, {launch(product, {"kjoule call 0"}, 24)});
  EXPECT_EQ(table.kernels[0].result, ReplayResult::same_family);
  EXPECT_NE(table.kernels[0].why.find("grid 24x1x1 instead of 32x1x1"), std::string::npos)
      << table.kernels[0].why;
}

}  // namespace
}  // namespace kjoule
