#include "recording/iteration_parts.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

constexpr int64_t kHostAhead = 5000;  ///< ns by which the host's clock is ahead of the device's

/// A log of launches whose calls and device times are written down, on the device's clock.
class ClockedLog {
 public:
  RunLog log;

  ClockedLog() { log.clocks = {{100 + kHostAhead, 100}, {90'000 + kHostAhead, 90'000}}; }

  void launch(OperationKind kind, int64_t call_ns, int64_t call_end_ns, int64_t begin_ns, int64_t end_ns) {
    const auto correlation = static_cast<uint32_t>(log.operations.size() + 1);
    log.calls.push_back({.time_ns = call_ns + kHostAhead, .correlation = correlation, .operations = 1});
    if (call_end_ns > 0)
      log.calls.push_back(
          {.time_ns = call_end_ns + kHostAhead, .correlation = correlation, .kind = HostCallKind::copy_end});
    log.operations.push_back(
        {.begin_ns = begin_ns, .end_ns = end_ns, .correlation = correlation, .kind = kind});
  }

  IterationParts parts(uint64_t launches, uint64_t iterations) const {
    const RunSums sums(log);
    return parts_of_iterations(sums, {0, launches}, iterations).value_or(IterationParts{});
  }
};

TEST(IterationParts, EachMomentCountsOnce) {
  ClockedLog run;
  run.launch(OperationKind::kernel, 0, 0, 1000, 3000);
  run.launch(OperationKind::transfer, 0, 0, 2000, 5000);  // 1000 of it while the kernel runs
  run.launch(OperationKind::set, 0, 0, 6000, 6500);
  run.launch(OperationKind::kernel, 0, 0, 8000, 9000);
  EXPECT_EQ(run.parts(3, 1), (IterationParts{1, 7000, 2000, 500, 2000, 0, 2500}));
}

TEST(IterationParts, ACopyOfPageableMemoryHasTheTimeOfItsCall) {
  ClockedLog run;
  run.launch(OperationKind::kernel, 500, 0, 1000, 3000);
  run.launch(OperationKind::staged_transfer, 2500, 6000, 4500, 5000);  // called while the kernel runs
  run.launch(OperationKind::kernel, 6100, 0, 7000, 8000);
  run.launch(OperationKind::staged_transfer, 8500, 9400, 9000, 9900);  // ends after its call
  run.launch(OperationKind::kernel, 9500, 0, 11'000, 12'000);
  EXPECT_EQ(run.parts(4, 2), (IterationParts{2, 5000, 1500, 0, 0, 2200, 1300}));
}

TEST(IterationParts, ACopyThatWaitsInItsStreamIsNotTheHosts) {
  ClockedLog run;
  run.launch(OperationKind::kernel, 500, 0, 1000, 3000);
  run.launch(OperationKind::staged_transfer, 1100, 1400, 7000, 7200);  // called long before
  run.launch(OperationKind::kernel, 1500, 0, 8000, 9000);
  EXPECT_EQ(run.parts(2, 1), (IterationParts{1, 7000, 2000, 0, 0, 200, 4800}));
}

TEST(IterationParts, TheCallOfTheFirstLaunchOfTheNextIterationCounts) {
  ClockedLog run;
  run.launch(OperationKind::kernel, 500, 0, 1000, 3000);
  run.launch(OperationKind::staged_transfer, 3500, 6000, 5500, 5900);
  EXPECT_EQ(run.parts(1, 1), (IterationParts{1, 4500, 2000, 0, 0, 2000, 500}));
}

TEST(IterationParts, AreNotKnownWithoutTheBeginOfTheNextIteration) {
  ClockedLog run;
  run.launch(OperationKind::kernel, 500, 0, 1000, 3000);
  run.log.calls.push_back({.time_ns = 4000, .correlation = 7, .operations = 1});
  const RunSums sums(run.log);
  EXPECT_FALSE(parts_of_iterations(sums, {0, 1}, 1).has_value());
}

}  // namespace
}  // namespace kjoule
