#include "measure/sweep.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace kjoule {
namespace {

using Launches = std::vector<LaunchIndex>;

TEST(Sweep, ByTurnsTimesEachLaunchAfterItsPredecessors) {
  const Sweep sweep = sweep_by_turns(5, 1, {});
  ASSERT_EQ(sweep.size(), 2u);
  const auto& first = sweep[0].sequence.segments;
  ASSERT_EQ(first.size(), 3u);
  EXPECT_TRUE(first[0].lead.empty()) << "the iteration before leads";
  EXPECT_EQ(first[1].lead, (Launches{1}));
  EXPECT_EQ(first[1].timed, (Launches{2}));
  const auto& second = sweep[1].sequence.segments;
  ASSERT_EQ(second.size(), 3u);
  EXPECT_EQ(second[0].lead, (Launches{0}));
  EXPECT_EQ(second[2].lead, (Launches{4})) << "what is left is played, not timed";
  EXPECT_TRUE(second[2].timed.empty());
}

RC_GTEST_PROP(Sweep, ByTurnsPlaysTheIterationAndTimesEachLaunchOnce, ()) {
  const auto launches = *rc::gen::inRange<size_t>(1, 40);
  const int window = *rc::gen::inRange(0, 50);
  std::vector<double> seconds(launches, 0.0);
  for (const Pass& pass : sweep_by_turns(launches, window, {})) {
    Launches played;
    for (const Segment& segment : pass.sequence.segments) {
      played.insert(played.end(), segment.lead.begin(), segment.lead.end());
      played.insert(played.end(), segment.timed.begin(), segment.timed.end());
    }
    RC_ASSERT(played == in_one_stretch(launches, {}, 1).segments[0].timed);
    pass.add_times(std::vector<double>(pass.terms.size(), 1.0), seconds);
  }
  RC_ASSERT(seconds == std::vector<double>(launches, 1.0));
}

TEST(Sweep, TakesDifferencesElsewhere) {
  const Sweep sweep = sweep_by_differences(3, 1, {});
  ASSERT_EQ(sweep.size(), 1u);
  ASSERT_EQ(sweep[0].sequence.segments.size(), 6u);
  EXPECT_EQ(sweep[0].sequence.segments[0].timed, (Launches{2})) << "of the iteration before";
  EXPECT_EQ(sweep[0].sequence.segments[2].timed, (Launches{0}));
  EXPECT_EQ(sweep[0].sequence.segments[3].timed, (Launches{0, 1}));
  std::vector<double> seconds(3, 0.0);
  // two repeats: with - without, averaged
  sweep[0].add_times({1, 11, 2, 22, 3, 33, 1, 13, 2, 24, 3, 35}, seconds);
  EXPECT_EQ(seconds, (std::vector<double>{11, 21, 31}));
}

TEST(Sweep, HasWholesEvenlyAmongItsSegments) {
  const Pass pass = with_wholes_among(sweep_by_differences(4, 1, {2}).front(), 4, {2}, 2, 2);
  ASSERT_EQ(pass.sequence.segments.size(), 10u);
  EXPECT_TRUE(pass.sequence.segments[0].timed.empty()) << "tells what edges cost";
  EXPECT_EQ(pass.sequence.segments[1].timed, (Launches{0, 1, 3, 0, 1, 3}));
  EXPECT_EQ(pass.sequence.segments[7].timed, (Launches{3, 0, 1, 3, 0, 1})) << "begins with the next launch";
  std::vector<double> seconds(5, 0.0);
  pass.add_times({2, 52, 1, 11, 2, 22, 4, 74, 3, 33}, seconds);
  EXPECT_EQ(seconds, (std::vector<double>{10, 20, 0, 30, 30}));
}

TEST(Sweep, IsLedByWhatReallyComesBefore) {
  const Pass sweep = sweep_by_differences(4, 1, {2}).front();
  const Pass pass = with_lead(sweep, 4, {2}, 4);
  EXPECT_EQ(pass.sequence.segments[0].lead, (Launches{1, 3, 0, 1})) << "then 3 is timed";
  EXPECT_EQ(pass.sequence.segments[3].lead, (Launches{3, 0, 1, 3})) << "then 0 and 1 are";
  for (size_t s = 0; s < pass.sequence.segments.size(); ++s)
    EXPECT_EQ(pass.sequence.segments[s].timed, sweep.sequence.segments[s].timed);
}

TEST(Sweep, LeavesExcludedLaunchesOutOfWindowsToo) {
  const Sweep turns = sweep_by_turns(3, 1, {1});
  ASSERT_EQ(turns.size(), 2u);
  EXPECT_EQ(turns[1].sequence.segments[0].lead, (Launches{0}));
  EXPECT_EQ(turns[1].sequence.segments[0].timed, (Launches{2}));
  const Sweep differences = sweep_by_differences(3, 1, {1});
  std::vector<double> seconds(3, 0.0);
  differences[0].add_times({1, 6, 2, 9}, seconds);
  EXPECT_EQ(seconds, (std::vector<double>{5, 0, 7}));
}

}  // namespace
}  // namespace kjoule
