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

}  // namespace
}  // namespace kjoule
