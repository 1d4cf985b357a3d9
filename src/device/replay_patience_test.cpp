#include "device/replay_patience.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

using std::chrono::seconds;

TEST(ReplayPatience, GrowsWithTheLongestReplay) {
  ReplayPatience patience;
  const auto least = patience.limit("wait").value();
  EXPECT_GE(least, seconds(10)) << "a busy machine answers late";
  EXPECT_LE(least, seconds(60)) << "the user waits";
  patience.add_answer("verify", seconds(4));
  EXPECT_GE(patience.limit("wait").value(), least + seconds(40)) << "an iteration of a second";
  const auto longest = patience.limit("observe").value();
  patience.add_answer("wait", seconds(1));
  EXPECT_EQ(patience.limit("observe").value(), longest) << "shorter work changes nothing";
}

TEST(ReplayPatience, ThePathToTheIterationMayTakeAnyTime) {
  ReplayPatience patience;
  patience.add_answer("record", seconds(3600));
  EXPECT_FALSE(patience.limit("record").has_value());
  EXPECT_FALSE(patience.limit("hello").has_value());
  EXPECT_LE(patience.limit("wait").value(), seconds(60));
}

}  // namespace
}  // namespace kjoule
