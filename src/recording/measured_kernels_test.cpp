#include "recording/measured_kernels.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

Launch kernel(const std::string& name, uint32_t blocks) {
  return {name, Tier::unknown, name, {{"grid", {blocks, 1, 1}}, {"block", {256, 1, 1}}}};
}

DeviceOperation operation(uint32_t name, int64_t us, OperationKind kind = OperationKind::kernel) {
  return {.begin_ns = 0, .end_ns = us * 1000, .name = name, .kind = kind};
}

RunLog log_of_three_kernels() {
  RunLog log;
  log.operation_names = {{.number = 0, .name = "add", .grid = {4, 1, 1}, .block = {256, 1, 1}},
                         {.number = 1, .name = "add", .grid = {8, 1, 1}, .block = {256, 1, 1}},
                         {.number = 2, .name = "memcpy HtoD"}};
  log.operations = {operation(0, 30), operation(1, 10), operation(2, 500, OperationKind::copy)};
  return log;
}

TEST(MeasuredKernels, ShareIsThatOfKernelTime) {
  MeasuredKernels measured;
  EXPECT_EQ(measured.share_of(log_of_three_kernels()), 0);
  measured.add({{}, {}, {kernel("add", 4)}, {}});
  EXPECT_DOUBLE_EQ(measured.share_of(log_of_three_kernels()), 0.75);
  measured.add({{}, {}, {kernel("add", 8)}, {}});
  EXPECT_DOUBLE_EQ(measured.share_of(log_of_three_kernels()), 1);
}

TEST(MeasuredKernels, LeadAndTailDoNotCount) {
  MeasuredKernels measured;
  measured.add({{}, {}, {kernel("add", 4), kernel("add", 8), kernel("add", 4)}, {1, 1}});
  EXPECT_DOUBLE_EQ(measured.share_of(log_of_three_kernels()), 0.25);
}

TEST(MeasuredKernels, OfARunWithoutKernelsCopiesCount) {
  RunLog log;
  log.operation_names = {{.number = 0, .name = "memcpy HtoD"}, {.number = 1, .name = "memset"}};
  log.operations = {operation(0, 30, OperationKind::transfer), operation(1, 10, OperationKind::set)};
  MeasuredKernels measured;
  measured.add({{}, {}, {{"memcpy HtoD", Tier::cuda_runtime, "memcpy HtoD 8x1x1 B", {{"bytes", 8}}}}, {}});
  EXPECT_DOUBLE_EQ(measured.share_of(log), 0.75);
}

TEST(MeasuredKernels, ALogWithoutOperationsHasNoShare) {
  EXPECT_EQ(MeasuredKernels().share_of(RunLog()), 0);
}

}  // namespace
}  // namespace kjoule
