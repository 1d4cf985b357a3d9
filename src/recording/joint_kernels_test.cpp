#include "recording/joint_kernels.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

LoggedName kernel_name(uint32_t number, const std::string& name, uint32_t blocks) {
  return {false, number, name, {blocks, 1, 1}, {32, 1, 1}};
}

/// Adds `count` operations of `ns` each to the log.
void add_operations(RunLog& log, uint32_t name, int count, int64_t ns) {
  for (int i = 0; i < count; ++i) {
    const int64_t begin_ns = log.operations.empty() ? 100 : log.operations.back().end_ns;
    log.operations.push_back({.begin_ns = begin_ns, .end_ns = begin_ns + ns, .name = name});
  }
}

TEST(JointKernels, AreNumberedAlikeInAllProcesses) {
  RunLog first, second;
  first.operation_names = {kernel_name(0, "add", 1), kernel_name(1, "scale", 1)};
  add_operations(first, 0, 3, 10);
  add_operations(first, 1, 1, 500);
  // The same name with another grid is another kernel, and the numbers of equal kernels differ.
  second.operation_names = {kernel_name(0, "scale", 1), kernel_name(1, "add", 2), kernel_name(2, "add", 1)};
  add_operations(second, 0, 2, 700);
  add_operations(second, 1, 1, 5);
  add_operations(second, 2, 2, 30);
  const RunSummary of_first = summarize(first), of_second = summarize(second);
  const JointKernels joint = join_kernels({&first, &second}, {&of_first, &of_second});

  ASSERT_EQ(joint.all.size(), 3U);
  const auto name = [&](size_t i) { return joint.names.at(joint.all[i].name); };
  EXPECT_EQ(name(0).name, "scale");
  EXPECT_EQ(joint.all[0].count, 3U);
  EXPECT_EQ(joint.all[0].total_ns, 1900);
  EXPECT_EQ(joint.all[0].least_ns, 500);
  EXPECT_EQ(joint.all[0].most_ns, 700);
  EXPECT_EQ(name(1).name, "add");
  EXPECT_EQ(name(1).grid[0], 1U);
  EXPECT_EQ(joint.all[1].count, 5U);
  EXPECT_EQ(joint.all[1].total_ns, 90);
  EXPECT_EQ(name(2).grid[0], 2U);

  ASSERT_EQ(joint.of_process.size(), 2U);
  EXPECT_EQ(joint.of_process[0][0].count, 1U);
  EXPECT_EQ(joint.of_process[1][0].total_ns, 1400);
  EXPECT_EQ(joint.of_process[0][1].total_ns, 30);
  EXPECT_EQ(joint.of_process[0][2].count, 0U);
  EXPECT_EQ(joint.of_process[1][2].count, 1U);
}

}  // namespace
}  // namespace kjoule
