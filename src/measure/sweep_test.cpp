#include "measure/sweep.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

using Launches = std::vector<LaunchIndex>;

TEST(Sweep, LeadsWithPredecessorsWhereEdgesAreClean) {
  const Sweep sweep(4, 2, true, {});
  ASSERT_EQ(sweep.sequence().segments.size(), 4u);
  EXPECT_EQ(sweep.sequence().segments[0].lead, (Launches{2, 3})) << "of the iteration before";
  EXPECT_EQ(sweep.sequence().segments[3].lead, (Launches{1, 2}));
  EXPECT_EQ(sweep.sequence().segments[3].timed, (Launches{3}));
}

TEST(Sweep, TakesDifferencesElsewhere) {
  const Sweep sweep(3, 1, false, {});
  ASSERT_EQ(sweep.sequence().segments.size(), 6u);
  EXPECT_EQ(sweep.sequence().segments[2].timed, (Launches{0}));
  EXPECT_EQ(sweep.sequence().segments[3].timed, (Launches{0, 1}));
  // two repeats: with - without, averaged
  EXPECT_EQ(sweep.per_launch({1, 11, 2, 22, 3, 33, 1, 13, 2, 24, 3, 35}), (std::vector<double>{11, 21, 31}));
}

TEST(Sweep, LeavesExcludedLaunchesOutOfWindowsToo) {
  const Sweep sweep(3, 1, true, {1});
  ASSERT_EQ(sweep.sequence().segments.size(), 2u);
  EXPECT_EQ(sweep.sequence().segments[1].lead, (Launches{0}));
  EXPECT_EQ(sweep.per_launch({5, 7}), (std::vector<double>{5, 0, 7}));
}

}  // namespace
}  // namespace kjoule
