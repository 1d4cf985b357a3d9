#include "measure/meters/repeat_count.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(RepeatCount, FillsATime) {
  EXPECT_EQ(repeats_to_fill(1, 0.3, 100), 4);
  EXPECT_EQ(repeats_to_fill(1, 2, 100), 1);
  EXPECT_EQ(repeats_to_fill(1, 1e-9, 100), 100);
  EXPECT_EQ(repeats_to_fill(1, 0, 100), 100) << "the time of one repeat is not known";
}

TEST(RepeatCount, AGraphHasAtMostSoManyCopiesAndLaunches) {
  const GraphLimits limits{.least_s = 0.01, .most_copies = 100, .most_launches = 1000};
  EXPECT_EQ(copies_in_graph(limits, 1e-3, 10), 10);
  EXPECT_EQ(copies_in_graph(limits, 1e-6, 1), 100);
  EXPECT_EQ(copies_in_graph(limits, 1e-6, 300), 3);
  EXPECT_EQ(copies_in_graph(limits, 1e-6, 2000), 1);
}

TEST(RepeatCount, TheWholeIsRepeatedAtLeastTwice) {
  EXPECT_EQ(iterations_in_repeat(1), 2);
  EXPECT_EQ(iterations_in_repeat(0.03), 4);
  EXPECT_EQ(iterations_in_repeat(1e-6), 200);
  EXPECT_EQ(iterations_in_repeat(0), 200);
}

}  // namespace
}  // namespace kjoule
