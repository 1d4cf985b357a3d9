#include "compare/ranks/critical_path.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

using enum PathPart;

/// The example of docs/design/ranks.md. Rank 0 computes for 30 us and waits in an all-reduce for rank 1,
/// whose host launches the second kernel late. Rank 0 then copies in another stream, and computes.
std::vector<std::vector<PathLaunch>> example_timeline() {
  return {{{0, 2, 32, computation, {}, {}},
           {1, 32, 60, moving, {0}, 0},
           {2, 62, 70, copy, {1}, {}},
           {60, 60, 64, computation, {1}, {}},
           {71, 71, 80, computation, {2, 3}, {}}},
          {{0, 1, 21, computation, {}, {}},
           {28, 30, 50, computation, {0}, {}},
           {29, 50, 61, moving, {1}, 0},
           {30, 61, 75, computation, {2}, {}}}};
}

TEST(CriticalPath, OfTheExample) {
  EXPECT_EQ(critical_path(example_timeline()), (std::vector<PathStretch>{{1, 0, computation, 1, 21},
                                                                         {1, 1, launch_gap, 21, 30},
                                                                         {1, 1, computation, 30, 50},
                                                                         {0, 1, moving, 50, 60},
                                                                         {0, 2, idle, 60, 62},
                                                                         {0, 2, copy, 62, 70},
                                                                         {0, 4, launch_gap, 70, 71},
                                                                         {0, 4, computation, 71, 80}}));
}

TEST(CriticalPath, StaysOnARankWithoutCollectives) {
  const std::vector<std::vector<PathLaunch>> ranks{{{0, 1, 5, computation, {}, {}}},
                                                   {{0, 1, 4, computation, {}, {}}}};
  EXPECT_EQ(critical_path(ranks), (std::vector<PathStretch>{{0, 0, computation, 1, 5}}));
}

TEST(CriticalPath, CountsTheTimeOfLaunchesThatOverlapOnce) {
  const std::vector<std::vector<PathLaunch>> ranks{
      {{0, 0, 10, computation, {}, {}}, {1, 8, 20, computation, {0}, {}}}};
  EXPECT_EQ(critical_path(ranks),
            (std::vector<PathStretch>{{0, 0, computation, 0, 8}, {0, 1, computation, 8, 20}}));
}

TEST(CriticalPath, IsEmptyWithoutLaunches) {
  EXPECT_TRUE(critical_path({}).empty());
  EXPECT_TRUE(critical_path({{}, {}}).empty());
}

}  // namespace
}  // namespace kjoule
