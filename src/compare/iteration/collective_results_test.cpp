#include "compare/iteration/collective_results.hpp"

#include <gtest/gtest.h>

#include "recording/collective_message.hpp"

namespace kjoule {
namespace {

constexpr int64_t kAhead_ns = 5'000'000'000;

Launch collective(const std::string& kernel, const std::string& operation, uint64_t bytes) {
  Launch launch;
  launch.name = kernel;
  if (!operation.empty())
    launch.detail["messages"].push_back(write_fields(CollectiveMessage{operation, 7, bytes}));
  return launch;
}

/// A rank with one kernel and then these collectives, of 30 us each.
RankResult rank_with(const std::vector<Launch>& collectives) {
  RankResult rank;
  rank.recording.launches = {Launch{}};
  rank.launch_s = {1e-6};
  for (const Launch& launch : collectives) {
    rank.recording.launches.push_back(launch);
    rank.launch_s.push_back(30e-6);
  }
  return rank;
}

/// The times of a rank at `position` whose collectives begin at these times. Its clock is `position` x 5 s
/// ahead.
CollectiveReplays times_of(uint32_t position, const std::vector<int64_t>& begin_ns, unsigned ranks = 2) {
  CollectiveTimes times;
  times.position = position;
  for (size_t i = 0; i < begin_ns.size(); ++i) {
    times.launches.push_back(static_cast<LaunchIndex>(i + 1));
    times.begin_ns.push_back(begin_ns[i] + position * kAhead_ns);
    times.end_ns.push_back(times.begin_ns.back() + 30'000);
  }
  for (int64_t other = 0; position == 0 && other < ranks; ++other) {
    times.before.push_back({other * kAhead_ns, other > 0 ? 2000 : 0});
    times.after.push_back({other * kAhead_ns, other > 0 ? 3000 : 0});
  }
  return {{times, times, times}};
}

TEST(CollectiveResults, DivideTheTimeOfEachRankIntoWaitingAndMoving) {
  const std::vector<Launch> reduce{collective("ncclDevKernel_AllReduce", "ncclAllReduce", 4000)};
  const std::vector<RankResult> ranks{rank_with(reduce), rank_with(reduce)};
  const auto results = collective_results(ranks, {{times_of(0, {1000}), times_of(1, {11'000})}, "", 0, 0});
  ASSERT_EQ(results.size(), 1u);
  const CollectiveResult& result = results[0];
  EXPECT_EQ(result.count, 1u);
  EXPECT_NEAR(result.clock_error_s, 1.5e-6, 1e-12);
  EXPECT_NEAR(result.ranks[0].waiting_s->value, 10e-6, 1e-12);
  EXPECT_NEAR(result.ranks[0].waiting_s->half_width, 1.5e-6, 1e-12);
  EXPECT_NEAR(result.ranks[1].waiting_s->value, 0, 1e-12);
  EXPECT_NEAR(result.moving_s()->value, 25e-6, 1e-12) << "20 and 30 us";
  EXPECT_NEAR(*result.algorithm_bandwidth(), 4000 / 25e-6, 1);
  EXPECT_NEAR(*result.bus_bandwidth(), *result.algorithm_bandwidth(), 1) << "2 (n - 1) / n of two ranks";
}

TEST(CollectiveResults, InterpolateTheOffsetOfTheClocks) {
  const std::vector<Launch> two{collective("ncclDevKernel_AllReduce", "ncclAllReduce", 8),
                                collective("ncclDevKernel_AllReduce", "ncclAllReduce", 8)};
  CollectiveReplays first = times_of(0, {0, 70'000}), second = times_of(1, {0, 70'700});
  for (CollectiveTimes& times : first.replays) times.after[1].ahead_ns += 1000;  // over 100 us
  const auto results = collective_results({rank_with(two), rank_with(two)}, {{first, second}, "", 0, 0});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].count, 2u);
  EXPECT_NEAR(results[0].ranks[0].waiting_s->value, 0, 20e-9);
  EXPECT_NEAR(results[0].ranks[1].waiting_s->value, 0, 20e-9);
  EXPECT_NEAR(results[0].ranks[0].waiting_s->half_width, 2 * 1.5e-6, 1e-9)
      << "the error of each has the same sign";
}

TEST(CollectiveResults, StateSizesAndBandwidthsAsNcclTests) {
  const std::vector<Launch> gather{collective("ncclDevKernel_AllGather", "ncclAllGather", 1000)};
  const std::vector<RankResult> ranks(4, rank_with(gather));
  ReplayedCollectives replayed;
  for (uint32_t rank = 0; rank < 4; ++rank) replayed.ranks.push_back(times_of(rank, {0}, 4));
  const auto results = collective_results(ranks, replayed);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].bytes, 4000u) << "that of all ranks together";
  EXPECT_NEAR(*results[0].bus_bandwidth() / *results[0].algorithm_bandwidth(), 0.75, 1e-9);
  EXPECT_NEAR(results[0].clock_error_s, 3e-6, 1e-12)
      << "between two ranks that are both compared with the first";
}

TEST(CollectiveResults, HaveNoWaitingWhereNoneIsDefined) {
  const std::vector<RankResult> sends{rank_with({collective("ncclDevKernel_SendRecv", "ncclSend", 8)}),
                                      rank_with({collective("ncclDevKernel_SendRecv", "ncclRecv", 8)})};
  for (const CollectiveResult& result :
       collective_results(sends, {{times_of(0, {0}), times_of(1, {0})}, "", 0, 0})) {
    EXPECT_EQ(result.ranks.size(), 1u);
    EXPECT_FALSE(result.ranks[0].waiting_s);
    EXPECT_FALSE(result.moving_s());
  }
  const std::vector<Launch> reduce{collective("ncclDevKernel_AllReduce", "ncclAllReduce", 8)};
  const std::vector<RankResult> unequal{
      rank_with(reduce), rank_with({collective("ncclDevKernel_AllGather", "ncclAllGather", 8)})};
  for (const CollectiveResult& result :
       collective_results(unequal, {{times_of(0, {0}), times_of(1, {0})}, "", 0, 0}))
    EXPECT_FALSE(result.ranks[0].waiting_s) << "the ranks do not have the same operations";
}

TEST(CollectiveResults, KnowTheOperationByTheKernelAlone) {
  const std::vector<Launch> reduce{collective("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "", 0)};
  const auto results = collective_results({rank_with(reduce), rank_with(reduce)},
                                          {{times_of(0, {0}), times_of(1, {4000})}, "", 0, 0});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_NEAR(results[0].ranks[0].waiting_s->value, 4e-6, 1e-12);
  EXPECT_FALSE(results[0].bus_bandwidth()) << "the size is not known";
}

TEST(CollectiveResults, AreEmptyWithoutTimes) {
  EXPECT_TRUE(collective_results({}, {{}, "stuck", 0, 0}).empty());
  EXPECT_TRUE(collective_results({RankResult()}, {{}, "stuck", 0, 0}).empty());
}

}  // namespace
}  // namespace kjoule
