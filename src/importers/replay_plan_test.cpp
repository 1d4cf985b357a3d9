#include "importers/replay_plan.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

using Json = nlohmann::json;

ImportedKernel kernel(const std::string& name, const std::string& op, const char* dims, const char* type) {
  ImportedKernel kernel;
  kernel.name = name;
  kernel.launched_by = {op, Json::parse(dims), {}, Json::parse(type), {}, {}};
  return kernel;
}

ImportedKernel memory(ActivityKind kind, const std::string& name, std::optional<int64_t> bytes) {
  ImportedKernel kernel;
  kernel.kind = kind;
  kernel.name = name;
  kernel.bytes = bytes;
  return kernel;
}

TEST(ReplayPlan, KernelsOfOneCallShareIt) {
  ImportedTable table;
  table.kernels = {kernel("gemm", "aten::mm", "[[2, 3]]", R"(["float"])"),
                   kernel("splitk_reduce", "aten::mm", "[[2, 3]]", R"(["float"])"),
                   kernel("gemm", "aten::mm", "[[4, 3]]", R"(["float"])"), kernel("triton", "", "[]", "[]")};
  const ReplayPlan plan = make_replay_plan(table);
  ASSERT_EQ(plan.calls.size(), 2U);
  EXPECT_EQ(plan.kernels[0].call, 0U);
  EXPECT_EQ(plan.kernels[1].call, 0U);
  EXPECT_EQ(plan.kernels[2].call, 1U);
  EXPECT_EQ(plan.kernels[3].call, std::nullopt);
  EXPECT_NE(plan.kernels[3].why_not.find("unknown"), std::string::npos);
}

TEST(ReplayPlan, CopiesAndMemsetsAreTheRuntimes) {
  ImportedTable table;
  table.kernels = {memory(ActivityKind::memcpy, "Memcpy HtoD (Pinned -> Device)", 4096),
                   memory(ActivityKind::memcpy, "memcpy DtoH", 8),
                   memory(ActivityKind::memset, "Memset (Device)", 64),
                   memory(ActivityKind::memset, "Memset (Device)", std::nullopt)};
  const ReplayPlan plan = make_replay_plan(table);
  ASSERT_EQ(plan.calls.size(), 3U);
  EXPECT_EQ(std::get<MemoryCopy>(plan.calls[0]), (MemoryCopy{4096, true, false, true}));
  EXPECT_EQ(std::get<MemoryCopy>(plan.calls[1]), (MemoryCopy{8, false, true, false}));
  EXPECT_EQ(std::get<MemorySet>(plan.calls[2]).bytes, 64);
  EXPECT_NE(plan.kernels[3].why_not.find("bytes"), std::string::npos);
}

TEST(ReplayPlan, TensorsInListsGetTheTypeOfTheirKernelElseTheUsualOne) {
  ImportedTable table;
  table.kernels = {kernel("a", "aten::mm", "[[2, 3], [3, 2]]", R"(["c10::Half", "c10::Half"])"),
                   kernel("b", "aten::sum", "[[2]]", R"(["float"])"),
                   kernel("cat", "aten::cat", "[[[2], [2]]]", R"(["TensorList"])"),
                   kernel("cat_of_floats", "aten::cat", "[[[4], [2]]]", R"(["TensorList"])")};
  table.kernels.back().dtype = "float32";
  const ReplayPlan plan = make_replay_plan(table);
  const auto type = [&](size_t call) {
    return std::get<OperatorCall>(plan.calls.at(call)).arguments.at(0).at(0).at("tensor").at("dtype");
  };
  EXPECT_EQ(type(2), "Half");
  EXPECT_EQ(type(3), "Float");
}

TEST(ReplayPlan, ReportsTheMemoryOfACall) {
  const auto bytes = [](const char* arguments) {
    return bytes_of(OperatorCall{"aten::x", Json::parse(arguments)});
  };
  EXPECT_EQ(bytes(R"([{"tensor": {"dtype": "Half", "shape": [4, 8], "strides": [8, 1]}}, 2, null,
                     [{"tensor": {"dtype": "Long", "shape": [], "strides": []}}]])"),
            4 * 8 * 2 + 8);
  EXPECT_EQ(bytes(R"([{"tensor": {"dtype": "Float", "shape": [1000, 2], "strides": [0, 1]}}])"), 8);
  EXPECT_EQ(bytes(R"([{"tensor": {"dtype": "Float", "shape": [0, 2], "strides": [2, 1]}}])"), 0);
  EXPECT_EQ(bytes_of(MemoryCopy{100, true, false, false}), 200);
}

TEST(ReplayPlan, LeavesOutTheLargestCallsOfThoseThatDoNotFitTogether) {
  const std::vector<ReplayCall> calls = {MemorySet{50}, MemorySet{1000}, MemorySet{40}, MemorySet{20}};
  EXPECT_EQ(calls_to_omit(calls, 2000), std::set<size_t>{});
  EXPECT_EQ(calls_to_omit(calls, 1109), std::set<size_t>{1});
  EXPECT_EQ(calls_to_omit(calls, 100), (std::set<size_t>{0, 1}));
}

TEST(ReplayPlan, ReportsWhatAListOfARecordingsKernelsLacks) {
  ImportedTable table;
  table.kernels.emplace_back().name = "aten::linear";
  table.kernels[0].recorded_signature = "aten::linear Float[1,16]";
  EXPECT_NE(make_replay_plan(table).kernels[0].why_not.find("pass the recording itself"), std::string::npos);
}

}  // namespace
}  // namespace kjoule
