#include "compare/ranks/compare_watched.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "compare/ranks/critical_path.hpp"
#include "recording/collective_message.hpp"

namespace kjoule {
namespace {

constexpr double kUs = 1e-6;
constexpr uint32_t kKernel = 0, kReduce = 1;  // numbers of names

/// The log of a rank whose iterations take 100 us. The host launches a kernel at 0 us and the collective 1 us
/// later, and waits for the collective. CUPTI's clock is ahead of the host's.
class LogOfIterations {
 public:
  RunLog log;

  explicit LogOfIterations(int64_t ahead_ns) : ahead_ns_(ahead_ns) {
    for (const bool of_call : {false, true})
      for (const uint32_t number : {kKernel, kReduce})
        (of_call ? log.call_names : log.operation_names)
            .push_back({of_call, number, number == kKernel ? "mul" : "ncclDevKernel_AllReduce"});
    log.clocks = {{0, kAhead}, {1'000'000, 1'000'000 + kAhead}};
  }

  /// The kernel runs from 2 us to `kernel_us`, and the collective from `begin_us` to `end_us`.
  void iterate(int64_t kernel_us, int64_t begin_us, int64_t end_us) {
    launch(0, kKernel, 2, kernel_us);
    launch(1, kReduce, begin_us, end_us);
    log.calls.push_back({.time_ns = time_ns(end_us + 2), .kind = HostCallKind::synchronise});
    ++passed_;
  }

  static constexpr int64_t kAhead = 7'000'000;  ///< of CUPTI's clock, as the readings of both clocks state

 private:
  int64_t time_ns(int64_t us) const { return 1000 * (100 * passed_ + us); }
  void launch(int64_t call_us, uint32_t name, int64_t begin_us, int64_t end_us) {
    const auto correlation = static_cast<uint32_t>(log.operations.size() + 1);
    log.calls.push_back(
        {.time_ns = time_ns(call_us), .name = name, .correlation = correlation, .operations = 1});
    log.operations.push_back({.begin_ns = time_ns(begin_us) + kAhead + ahead_ns_,
                              .end_ns = time_ns(end_us) + kAhead + ahead_ns_,
                              .name = name,
                              .correlation = correlation,
                              .stream = name});
  }

  int64_t ahead_ns_;  ///< by which CUPTI's times are wrong
  int64_t passed_ = 0;
};

/// The recorded iteration, after `passed` others.
Recording recording_after(uint64_t passed) {
  Recording recording;
  recording.program["place"] = {{"collectives", passed}, {"calls", 0}};
  recording.launches.resize(2);
  recording.launches[0].name = "mul";
  recording.launches[0].detail["after"] = nlohmann::json::array();
  recording.launches[1].name = "ncclDevKernel_AllReduce";
  recording.launches[1].detail = {{"after", {0}},
                                  {"messages", {write_fields(CollectiveMessage{"ncclAllReduce", 7, 4096})}}};
  return recording;
}

/// Rank 0 waits for rank 1 from 30 to 50 us of each iteration; its kernel runs until 40 us.
WatchedRanks two_ranks(int64_t ahead_ns) {
  std::vector<WatchedRank> ranks;
  for (const bool is_late : {false, true}) {
    LogOfIterations one(is_late ? ahead_ns : 0);
    for (int i = 0; i < 10; ++i) one.iterate(is_late ? 50 : 40, is_late ? 50 : 30, 60);
    ranks.push_back(watch_rank(is_late ? "rank 1" : "rank 0", one.log, recording_after(10)));
  }
  return compare_watched(std::move(ranks));
}

TEST(WatchedRanks, DivideTheIterationsOfTheProgram) {
  const WatchedRanks watched = two_ranks(0);
  EXPECT_EQ(watched.iterations, 9u) << "the last one shows where the one before it ends";
  EXPECT_NEAR(watched.ranks[0].waiting_s->value, 20 * kUs, 1e-12);
  EXPECT_NEAR(watched.ranks[1].waiting_s->value, 0, 1e-12);
  EXPECT_NEAR(watched.ranks[0].iteration_s, 100 * kUs, 1e-12);
  EXPECT_NEAR(watched.ranks[0].computation_s, 38 * kUs, 1e-12);
  EXPECT_NEAR(watched.ranks[0].hidden_s, 10 * kUs, 1e-12) << "from 30 to 40 us";
  EXPECT_NEAR(watched.ranks[0].exposed_s, 20 * kUs, 1e-12);
  EXPECT_NEAR(watched.ranks[1].hidden_s, 0, 1e-12);
  EXPECT_NEAR(imbalance(watched), 48.0 / 43 - 1, 1e-9);
  ASSERT_EQ(watched.collectives.size(), 1u);
  EXPECT_EQ(watched.collectives[0].bytes, 4096u);
  EXPECT_NEAR(watched.collectives[0].waiting_s[0]->value, 20 * kUs, 1e-12);
}

TEST(WatchedRanks, HaveACriticalPathOnTheLateRank) {
  const PathSums path = two_ranks(0).path;
  EXPECT_NEAR(path.all_s * 9, (800 + 60 - 2) * kUs, 1e-9) << "from the first kernel to the last collective";
  EXPECT_NEAR(path.parts_s[static_cast<size_t>(PathPart::computation)], 48 * kUs, 1e-9);
  EXPECT_NEAR(path.parts_s[static_cast<size_t>(PathPart::moving)], 10 * kUs, 1e-9);
  EXPECT_NEAR(path.parts_s[static_cast<size_t>(PathPart::launch_gap)] * 9, 8 * 42 * kUs, 1e-9);
  EXPECT_EQ(path.kernels[0].name, "mul");
  EXPECT_EQ(path.kernels[0].rank, "rank 1");
  EXPECT_NEAR(path.kernels[0].launches, 1, 1e-9);
}

TEST(WatchedRanks, BoundTheErrorOfTheClocks) {
  for (const int64_t wrong_ns : {-1500, 0, 1000}) {
    const WatchedRanks watched = two_ranks(wrong_ns);
    EXPECT_LE(watched.clock_error_s, 4.5 * kUs) << "1 or 2 us after a launch, and 2 us before a wait ends";
    EXPECT_GE(watched.clock_error_s, 1.5 * kUs);
    const Interval& waiting = *watched.ranks[0].waiting_s;
    EXPECT_LE(std::abs(waiting.value - 20 * kUs), watched.clock_error_s);
    EXPECT_GE(waiting.half_width, watched.clock_error_s - 1e-12);
  }
}

TEST(WatchedRanks, AreThoseAtTheEndOfALogThatEndsEarly) {
  LogOfIterations one(0);
  for (int i = 0; i < 5; ++i) one.iterate(40, 50, 60);
  const WatchedRank rank = watch_rank("rank 0", one.log, recording_after(8));
  EXPECT_EQ(rank.first, -8);
  EXPECT_EQ(rank.end(), -3);
  Recording later = recording_after(8);
  later.program["place"]["calls"] = 1;  // the iterations begin with the collective
  EXPECT_EQ(watch_rank("rank 0", one.log, later).end(), -4)
      << "the log lacks the last kernel of the next one";
}

TEST(WatchedRanks, AreNotKnownWithoutTheirCollectives) {
  LogOfIterations one(0);
  for (int i = 0; i < 3; ++i) one.iterate(40, 50, 60);
  one.log.operations.clear();
  EXPECT_THROW(watch_rank("rank 0", one.log, recording_after(3)), Error);
  Recording without = recording_after(3);
  without.launches.resize(1);
  EXPECT_THROW(watch_rank("rank 0", one.log, without), Error);
}

TEST(WatchedRanks, OfDifferentIterationsAreRefused) {
  std::vector<WatchedRank> ranks;
  for (const uint64_t passed : {10, 9}) {
    LogOfIterations one(0);
    for (int i = 0; i < 10; ++i) one.iterate(50, 50, 60);
    ranks.push_back(watch_rank("rank", one.log, recording_after(passed)));
  }
  EXPECT_THROW(compare_watched(std::move(ranks)), Error);
}

}  // namespace
}  // namespace kjoule
