#include "recording/loop_iterations.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace kjoule {
namespace {

/// A log whose launches take times that are written down. Nothing overlaps.
class TimedLog {
 public:
  RunLog log;

  void launch(uint32_t name, int64_t ns, uint32_t thread = 1) {
    HostCall call;
    call.name = name;
    call.correlation = static_cast<uint32_t>(log.calls.size() + 1);
    call.operations = 1;
    call.thread = thread;
    log.calls.push_back(call);
    DeviceOperation operation;
    operation.begin_ns = now_ns_;
    operation.end_ns = now_ns_ += ns;
    operation.correlation = call.correlation;
    log.operations.push_back(operation);
  }

  /// The device idles.
  void pass(int64_t ns) { now_ns_ += ns; }
  void wait() { log.calls.push_back({.kind = HostCallKind::synchronise}); }

 private:
  int64_t now_ns_ = 1000;
};

TEST(SpreadOfLastLoop, HasTheQuantilesOfIterationsOfOneLength) {
  TimedLog run;
  run.launch(9, 5000);
  for (int i = 0; i < 101; ++i) {
    run.launch(1, 1000);
    run.launch(2, i == 0 ? 90'000 : 1000 + 10 * i);
  }
  run.launch(1, 1000);
  const auto spread = spread_of_last_loop(run.log, 1, 2);
  ASSERT_TRUE(spread.has_value());
  EXPECT_EQ(spread->iterations, 100u) << "without the first one";
  EXPECT_EQ(spread->median_ns, 2505);
  EXPECT_NEAR(static_cast<double>(spread->low_ns), 2110, 10);
  EXPECT_NEAR(static_cast<double>(spread->high_ns), 2900, 10);
}

TEST(SpreadOfLastLoop, FindsTheBeginsOfIterationsThatDifferInLength) {
  TimedLog run;
  for (int i = 0; i < 20; ++i) {
    run.launch(1, 1000);
    run.launch(1, 500, 2);  // another thread's
    for (int k = 0; k < i % 3; ++k) run.launch(2, 100);
  }
  const auto spread = spread_of_last_loop(run.log, 0, 0);
  ASSERT_TRUE(spread.has_value());
  EXPECT_EQ(spread->iterations, 18u) << "neither the first nor the last, which may go on";
  EXPECT_EQ(spread->low_ns, 1500);
  EXPECT_EQ(spread->high_ns, 1700);
}

TEST(SpreadOfLastLoop, HasTheDistancesOfIterations) {
  TimedLog run;
  for (int i = 0; i < 40; ++i) {
    run.launch(1, 1000);
    run.launch(2, 500);
    run.pass(i == 30 ? 700 : 250);
  }
  const auto spread = spread_of_last_loop(run.log, 0, 2);
  ASSERT_TRUE(spread.has_value());
  EXPECT_EQ(spread->median_ns, 1500);
  ASSERT_EQ(spread->distances_ns.size(), 38u) << "neither the first nor the last";
  EXPECT_EQ(spread->distances_ns.front(), 1750);
  EXPECT_EQ(std::ranges::count(spread->distances_ns, 2200), 1);
}

TEST(SpreadOfLastLoop, KnowsWhetherTheHostWaitsInEachIteration) {
  for (const int every : {1, 8}) {
    TimedLog run;
    for (int i = 0; i < 40; ++i) {
      run.launch(1, 1000);
      run.launch(2, 500);
      if (i % every == every - 1) run.wait();
    }
    EXPECT_EQ(spread_of_last_loop(run.log, 0, 2)->host_waits, every == 1);
  }
}

TEST(SpreadOfLastLoop, IsNotKnownWithoutTwoIterations) {
  TimedLog run;
  EXPECT_FALSE(spread_of_last_loop(run.log, 0, 1).has_value());
  run.launch(1, 1000);
  EXPECT_FALSE(spread_of_last_loop(run.log, 0, 1).has_value());
  EXPECT_FALSE(spread_of_last_loop(run.log, 7, 1).has_value());
}

}  // namespace
}  // namespace kjoule
