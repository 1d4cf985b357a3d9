#include "collectives/collective_row.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

CollectiveRow row_of(const std::string& operation, int gpus, int64_t bytes) {
  CollectiveRow row{operation, "fp16", true, gpus, {}, {100, 100, 100, 100, 100, 100}};
  row.size = collective_size(collective_operation(operation), "fp16", gpus, bytes);
  return row;
}

// The factors are those of nccl-tests (doc/PERFORMANCE.md): 1,000,000 bytes in 100 us are 10 GB/s.
TEST(CollectiveRow, HasTheBandwidthsOfNcclTests) {
  const std::vector<std::pair<std::string, double>> expected{
      {"all_reduce", 15e9}, {"all_gather", 7.5e9}, {"reduce_scatter", 7.5e9},
      {"broadcast", 10e9},  {"all_to_all", 7.5e9}, {"send_receive", 10e9}};
  for (const auto& [operation, bus] : expected) {
    EXPECT_DOUBLE_EQ(row_of(operation, 4, 1'000'000).algorithm_bandwidth(), 10e9) << operation;
    EXPECT_DOUBLE_EQ(row_of(operation, 4, 1'000'000).bus_bandwidth(), bus) << operation;
  }
}

TEST(CollectiveRow, StatesTheElementsAsTheTablesDo) {
  EXPECT_EQ(row_of("all_reduce", 4, 1024).table_shape(), 512);
  EXPECT_EQ(row_of("all_gather", 4, 1024).table_shape(), 128);
  EXPECT_EQ(row_of("reduce_scatter", 4, 1024).table_shape(), 512);
  EXPECT_EQ(row_of("send_receive", 4, 1024).table_shape(), 512);
}

TEST(CollectiveSize, IsDivisibleByTheRanks) {
  const CollectiveSize size = collective_size(collective_operation("all_gather"), "fp32", 3, 4096);
  EXPECT_EQ(size.part, 341);
  EXPECT_EQ(size.all, 1023);
  EXPECT_EQ(size.bytes, 4092);
  EXPECT_EQ(collective_size(collective_operation("all_gather"), "fp32", 3, 8).part, 0);
}

TEST(CollectivePasses, AreTheMeanOverTheRanks) {
  const CollectiveOperation& all_reduce = collective_operation("all_reduce");
  EXPECT_EQ(mean_over_ranks({{{10, 20}}, {{30, 60}}}, all_reduce), (std::vector<double>{20, 40}));
  EXPECT_THROW(mean_over_ranks({{{10, 20}}, {{30}}}, all_reduce), Error);
}

TEST(CollectivePasses, AreTheMeanOverTheRanksThatSendOrReceive) {
  EXPECT_EQ(mean_over_ranks({{{10}}, {{0.1}}, {{0.1}}, {{12}}}, collective_operation("send_receive")),
            (std::vector<double>{11}));
}

}  // namespace
}  // namespace kjoule
