#include "compare/ranks/clock_alignment.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

TEST(ClockAlignment, IsInTheMiddleOfWhatEventsPermit) {
  ClockDifferences differences(2);
  differences.limit(1, 0, 900);  // rank 1 is 300 to 900 ns ahead
  differences.limit(0, 1, -300);
  const ClockAlignment aligned = differences.align(2, 1);
  EXPECT_EQ(aligned.ahead_ns[1] - aligned.ahead_ns[0], 600);
  EXPECT_EQ(aligned.error_ns, 300);
  EXPECT_EQ(aligned.contradiction_ns, 0);
}

TEST(ClockAlignment, UsesBoundsOverOtherClocks) {
  ClockDifferences differences(3);  // two ranks, and the host
  for (const size_t rank : {0u, 1u}) {
    differences.limit(rank, 2, 700);
    differences.limit(2, rank, 1300);
  }
  const ClockAlignment aligned = differences.align(2, 2);
  EXPECT_EQ(aligned.ahead_ns, (std::vector<int64_t>{-300, -300}));
  EXPECT_EQ(aligned.error_ns, 2000) << "each of them -1300 to 700 ns";
}

TEST(ClockAlignment, WidensBoundsThatContradictEachOther) {
  ClockDifferences differences(3);
  differences.limit(1, 0, 1000);
  differences.limit(0, 1, -3000);
  const ClockAlignment aligned = differences.align(2, 2);
  EXPECT_NEAR(static_cast<double>(aligned.ahead_ns[1] - aligned.ahead_ns[0]), 2000, 1);
  EXPECT_GE(aligned.contradiction_ns, 1000) << "each bound is wrong by 1000 ns at least";
  EXPECT_LE(aligned.contradiction_ns, 2048);
}

TEST(ClockAlignment, NeedsAnEventThatComparesTheClocks) {
  EXPECT_THROW(ClockDifferences(3).align(2, 2), Error);
}

}  // namespace
}  // namespace kjoule
