#include "compare/iteration/launch_gaps.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

Comparison measured() {
  Comparison c;
  c.times.whole_s = {100e-6, 1e-6};
  c.program_iterations.run_s = {150e-6, 170e-6};
  return c;
}

TEST(LaunchGaps, AreTheOwnIterationMinusTheWhole) {
  EXPECT_NEAR(*launch_gaps_s(measured()), 60e-6, 1e-12);
}

TEST(LaunchGaps, CountTimeOnceInWhichOperationsOverlap) {
  Comparison c = measured();
  c.timeline.emplace().totals = {200'000, 90'000, 120'000, 110'000, 30'000};
  EXPECT_NEAR(*launch_gaps_s(c), 85e-6, 1e-12) << "of the whole's 100 us, a quarter overlaps";
  c.overlapped_s = Interval{80e-6, 1e-6};
  EXPECT_NEAR(*launch_gaps_s(c), 80e-6, 1e-12) << "measured is better than inferred";
}

TEST(OwnIteration, IsADistanceOnTheDeviceWhereTheHostLaunchesAhead) {
  Comparison c = measured();
  IterationSpread& loop = c.iteration_spread.emplace();
  loop.distances_ns = {400'000, 420'000};
  EXPECT_NEAR(own_iteration(c)->value, 410e-6, 1e-12) << "the host does not wait in each iteration";
  loop.host_waits = true;
  loop.parts = IterationParts{2, 410e3, 380e3, 0, 0, 0, 30e3};
  EXPECT_NEAR(own_iteration(c)->value, 410e-6, 1e-12) << "it waits for an iteration long past";
  c.program_iterations.run_s = {390e-6, 394e-6};
  EXPECT_NEAR(own_iteration(c)->value, 392e-6, 1e-12) << "its own times are not slowed by the profiler";
}

TEST(LaunchGaps, AreUnknownWithoutALongerOwnIteration) {
  Comparison c = measured();
  c.program_iterations.run_s = {99e-6};
  EXPECT_FALSE(launch_gaps_s(c));
  c.program_iterations.run_s.clear();
  EXPECT_FALSE(launch_gaps_s(c));
  EXPECT_FALSE(own_iteration(c));
}

}  // namespace
}  // namespace kjoule
