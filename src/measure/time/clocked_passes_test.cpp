#include "measure/time/clocked_passes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace kjoule {
namespace {

using Launches = std::vector<LaunchIndex>;

TEST(ClockedPasses, TimeEveryOtherLaunchAfterItsPredecessor) {
  const std::vector<ClockedPass> passes = clocked_passes({5, {}, {}, {}});
  ASSERT_EQ(passes.size(), 2u);
  const auto& first = passes[0].sequence.segments;
  ASSERT_EQ(first.size(), 3u);
  EXPECT_TRUE(first[0].lead.empty()) << "the iteration before leads";
  EXPECT_EQ(first[1].lead, (Launches{1}));
  EXPECT_EQ(first[1].timed, (Launches{2}));
  const auto& second = passes[1].sequence.segments;
  ASSERT_EQ(second.size(), 3u);
  EXPECT_EQ(second[0].lead, (Launches{0}));
  EXPECT_EQ(second[2].lead, (Launches{4})) << "the remainder is replayed, not timed";
  EXPECT_TRUE(second[2].timed.empty());
}

RC_GTEST_PROP(ClockedPasses, ReplayTheIterationAndTimeEachLaunchOnce, ()) {
  const auto launches = *rc::gen::inRange<size_t>(1, 40);
  const TimedIteration iteration{launches, {}, {}, {}};
  std::vector<double> seconds(launches, 0.0);
  for (const ClockedPass& pass : clocked_passes(iteration)) {
    Launches replayed;
    for (const Segment& segment : pass.sequence.segments) {
      replayed.insert(replayed.end(), segment.lead.begin(), segment.lead.end());
      replayed.insert(replayed.end(), segment.timed.begin(), segment.timed.end());
    }
    RC_ASSERT(replayed == in_one_segment(iteration).segments[0].timed);
    pass.add_times(std::vector<double>(2 * pass.sequence.segments.size(), 1.0), seconds);
  }
  RC_ASSERT(seconds == std::vector<double>(launches, 1.0));
}

TEST(ClockedPasses, LeaveExcludedLaunchesOut) {
  EXPECT_EQ(in_one_segment({4, {1}, {}, {}}).segments[0].timed, (Launches{0, 2, 3}));
}

}  // namespace
}  // namespace kjoule
