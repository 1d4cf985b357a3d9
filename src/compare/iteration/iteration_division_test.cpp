#include "compare/iteration/iteration_division.hpp"

#include <gtest/gtest.h>

#include "compare/iteration/launch_gaps.hpp"

namespace kjoule {
namespace {

KernelResult replayed(const char* name, Tier tier, double us) {
  KernelResult kernel;
  kernel.name = name;
  kernel.tier = tier;
  kernel.in_context_s = Interval{us * 1e-6, 0};
  return kernel;
}

/// A loop whose iteration of 1000 us consists of 500 us of work, 240 us of the host's part in copies, and
/// gaps.
Comparison copying_loop() {
  Comparison c;
  c.kernels = {replayed("step", Tier::unknown, 300),
               replayed("memcpy HtoD (pageable)", Tier::cuda_runtime, 120),
               replayed("memcpy DtoH", Tier::cuda_runtime, 50),
               replayed("memcpy DtoD", Tier::cuda_runtime, 20), replayed("memset", Tier::cuda_runtime, 10)};
  c.times.whole_s = c.times.sum_s = {500e-6, 0};
  c.program_iterations.run_s = {1000e-6};
  c.iteration_spread.emplace();
  c.iteration_spread->parts = IterationParts{8, 1010e3, 310e3, 31e3, 50e3, 360e3, 259e3};
  return c;
}

TEST(IterationDivision, SeparatesTheHostsPartInCopiesFromTransfersAndGaps) {
  const auto division = divide_iteration(copying_loop());
  ASSERT_TRUE(division.has_value());
  EXPECT_NEAR(division->kernels_s, 300e-6, 1e-12);
  EXPECT_NEAR(division->device_copies_s, 30e-6, 1e-12);
  EXPECT_NEAR(division->transfers_s, 170e-6, 1e-12);
  EXPECT_NEAR(division->staging_s, 240e-6, 1e-12);
  EXPECT_NEAR(division->gaps_s, 259e-6, 1e-12);
  EXPECT_NEAR(division->own_s, 1010e-6, 1e-12) << "of the same iterations as the host's part and the gaps";
  EXPECT_NEAR(division->unexplained(), 11.0 / 1010, 1e-9);
}

TEST(IterationDivision, TheHostsPartIsNoLaunchGap) {
  EXPECT_NEAR(*launch_gaps_s(copying_loop()), 260e-6, 1e-12);
}

TEST(IterationDivision, SubtractsWhatStreamsDoInParallel) {
  Comparison c = copying_loop();
  c.overlapped_s = Interval{450e-6, 0};
  EXPECT_NEAR(divide_iteration(c)->overlap_s, 50e-6, 1e-12);
  EXPECT_NEAR(divide_iteration(c)->unexplained(), 61.0 / 1010, 1e-9);
}

TEST(IterationDivision, GapsThatRemainInTheReplayAreNotLaunchGaps) {
  Comparison c = copying_loop();
  c.timeline.emplace().replay_gaps_s = 9e-6;
  EXPECT_NEAR(divide_iteration(c)->gaps_s, 250e-6, 1e-12);
}

TEST(IterationDivision, IsUnknownWithoutATimeline) {
  Comparison c = copying_loop();
  c.iteration_spread->parts.reset();
  EXPECT_FALSE(divide_iteration(c).has_value());
}

}  // namespace
}  // namespace kjoule
