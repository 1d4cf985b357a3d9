#include "sampling/sample_queue.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

using Samples = std::vector<size_t>;

TEST(SampleQueue, GivesEachSampleOnce) {
  SampleQueue queue(5, 2);
  EXPECT_EQ(queue.take(0, 2), (Samples{0, 1}));
  EXPECT_EQ(queue.take(1, 2), (Samples{2, 3}));
  EXPECT_EQ(queue.take(0, 2), (Samples{4}));
  EXPECT_TRUE(queue.take(1, 2).empty());
  for (const size_t sample : {0, 1, 4}) queue.complete(0, sample);
  for (const size_t sample : {2, 3}) queue.complete(1, sample);
  EXPECT_EQ(queue.left(), 0u);
}

TEST(SampleQueue, GivesTheSamplesOfAGpuThatLeavesToTheOthers) {
  SampleQueue queue(4, 2);
  EXPECT_EQ(queue.take(0, 3), (Samples{0, 1, 2}));
  queue.complete(0, 1);
  queue.leave(0);
  EXPECT_EQ(queue.take(1, 9), (Samples{0, 2, 3})) << "in their order";
  EXPECT_EQ(queue.left(), 3u);
}

TEST(SampleQueue, TriesASampleThatEndsItsProcessOnAnotherGpu) {
  SampleQueue queue(2, 2);
  EXPECT_EQ(queue.take(0, 1), Samples{0});
  EXPECT_TRUE(queue.try_again(0, 0));
  EXPECT_EQ(queue.take(0, 1), Samples{1}) << "not the one that ended its process";
  EXPECT_TRUE(queue.take(0, 1).empty());
  EXPECT_EQ(queue.take(1, 1), Samples{0});
  queue.complete(1, 0);
  EXPECT_EQ(queue.needless_ends(0), 1u);
  EXPECT_EQ(queue.needless_ends(1), 0u);
  EXPECT_EQ(queue.left(), 1u);
}

TEST(SampleQueue, ASampleThatEndsTwoProcessesIsComplete) {
  SampleQueue queue(1, 2);
  queue.take(0, 1);
  EXPECT_TRUE(queue.try_again(0, 0));
  queue.take(1, 1);
  EXPECT_FALSE(queue.try_again(1, 0));
  EXPECT_EQ(queue.left(), 0u);
  EXPECT_EQ(queue.needless_ends(0), 0u) << "the sample is the cause";
}

TEST(SampleQueue, TheLastGpuTriesItsOwnSamplesAgain) {
  SampleQueue queue(1, 2);
  queue.take(0, 1);
  EXPECT_TRUE(queue.try_again(0, 0));
  EXPECT_TRUE(queue.take(0, 1).empty());
  queue.leave(1);
  EXPECT_EQ(queue.take(0, 1), Samples{0});
  EXPECT_FALSE(queue.try_again(0, 0));
}

TEST(SampleQueue, AGpuThatLeavesDuringASecondTryLeavesItToTheOthers) {
  SampleQueue queue(1, 3);
  queue.take(0, 1);
  queue.try_again(0, 0);
  queue.take(1, 1);
  queue.leave(1);
  EXPECT_TRUE(queue.take(0, 1).empty()) << "it was tried here";
  EXPECT_EQ(queue.take(2, 1), Samples{0});
  EXPECT_FALSE(queue.try_again(2, 0));
}

TEST(SampleQueue, TakesNoRowTwice) {
  SampleQueue queue(2, 2);
  queue.take(0, 1);
  queue.complete(0, 0);
  queue.complete(0, 0);
  EXPECT_EQ(queue.left(), 1u);
}

}  // namespace
}  // namespace kjoule
