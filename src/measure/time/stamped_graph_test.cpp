#include "measure/time/stamped_graph.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

TEST(StampedGraph, KeepsEachStretchApart) {
  const StampedGraph graph = summarize_replays({3, 4, 9}, {1, 10, 2, 10, 3, 16});
  EXPECT_EQ(graph.stamped_after, (std::vector<uint32_t>{3, 4, 9}));
  EXPECT_EQ(graph.mean_s, (std::vector<double>{2, 12}));
  ASSERT_EQ(graph.spread_s.size(), 2u);
  EXPECT_DOUBLE_EQ(graph.spread_s[0], 1.4826);
  EXPECT_DOUBLE_EQ(graph.spread_s[1], 0);
}

TEST(StampedGraph, LeavesATenthOutAtEitherEnd) {
  const StampedGraph graph = summarize_replays({0, 1}, {5, 1, 2, 3, 4, 6, 7, 8, -1000, 99999});
  EXPECT_DOUBLE_EQ(graph.mean_s[0], 4.5);
  EXPECT_DOUBLE_EQ(graph.spread_s[0], 1.4826 * 2.5);
}

TEST(StampedGraph, RefusesWhatDoesNotFit) {
  EXPECT_THROW(summarize_replays({0, 1, 2}, {1, 2, 3}), Error);
  EXPECT_THROW(summarize_replays({0, 1, 2}, {}), Error);
  EXPECT_THROW(summarize_replays({0}, {1}), Error);
  EXPECT_THROW(summarize_replays({}, {}), Error);
}

}  // namespace
}  // namespace kjoule
