#include "measure/time/timed_iteration.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

using Groups = std::vector<std::vector<LaunchIndex>>;

TEST(TimedIteration, JoinsALaunchThatBeginsEarlyToTheOneBeforeIt) {
  EXPECT_EQ((TimedIteration{6, {}, {}, {}}.timed_together_groups()), Groups{});
  EXPECT_EQ((TimedIteration{6, {}, {2, 3}, {}}.timed_together_groups()), (Groups{{1, 2, 3}}));
  EXPECT_EQ((TimedIteration{6, {}, {2, 5}, {}}.timed_together_groups()), (Groups{{1, 2}, {4, 5}}));
}

TEST(TimedIteration, JoinsTheEndOfAnIterationToTheBeginOfTheNext) {
  EXPECT_EQ((TimedIteration{6, {}, {0, 5}, {}}.timed_together_groups()), (Groups{{4, 5, 0}}));
}

TEST(TimedIteration, JoinsNeighboursOfExcludedLaunches) {
  EXPECT_EQ((TimedIteration{6, {2}, {3}, {}}.timed_together_groups()), (Groups{{1, 3}}));
}

TEST(TimedIteration, EndsWithRestoringWhichIsNotMeasured) {
  TimedIteration iteration{3, {}, {}, {}};
  iteration.restores = true;
  EXPECT_EQ(iteration.order(), (std::vector<LaunchIndex>{0, 1, 2, 3}));
  EXPECT_TRUE(iteration.is_measured(2));
  EXPECT_FALSE(iteration.is_measured(3));
  EXPECT_EQ(iteration.may_stamp().size(), 4u);
}

}  // namespace
}  // namespace kjoule
