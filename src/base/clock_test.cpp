#include "base/clock.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <regex>
#include <thread>

namespace kjoule {
namespace {

TEST(SteadyClock, MovesForwardAsTimePasses) {
  const SteadyClock clock;
  const int64_t before = clock.now_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_GE(clock.now_ns() - before, 2'000'000);
}

TEST(SteadyClock, ReadsTheClockThatOtherProcessesRead) {
  const SteadyClock clock;
  std::timespec before{};
  std::timespec after{};
  clock_gettime(CLOCK_MONOTONIC, &before);
  const int64_t now = clock.now_ns();
  clock_gettime(CLOCK_MONOTONIC, &after);
  EXPECT_GE(now, before.tv_sec * 1'000'000'000 + before.tv_nsec);
  EXPECT_LE(now, after.tv_sec * 1'000'000'000 + after.tv_nsec);
}

TEST(SteadyClock, LocalTimeIsNow) {
  const SteadyClock clock;
  const std::string text = clock.local_time(clock.now_ns());
  ASSERT_TRUE(std::regex_match(text, std::regex(R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3})"))) << text;
  std::tm parts{};
  ASSERT_NE(strptime(text.c_str(), "%Y-%m-%d %H:%M:%S", &parts), nullptr);
  parts.tm_isdst = -1;
  EXPECT_NEAR(static_cast<double>(std::mktime(&parts)), static_cast<double>(std::time(nullptr)), 2);
}

TEST(VirtualClock, MovesOnlyWhenTold) {
  VirtualClock clock;
  EXPECT_EQ(clock.now_ns(), 0);
  clock.advance_ns(5);
  clock.advance_ns(7);
  EXPECT_EQ(clock.now_ns(), 12);
  clock.set_ns(3);
  EXPECT_EQ(clock.now_ns(), 3);
}

TEST(VirtualClock, StartsIn2000InEveryTimeZone) {
  const VirtualClock clock;
  setenv("TZ", "Asia/Kolkata", 1);
  tzset();
  EXPECT_EQ(clock.local_time(0), "2000-01-01 00:00:00.000");
  EXPECT_EQ(clock.local_time(86'400'123'456'789), "2000-01-02 00:00:00.123");
  EXPECT_EQ(clock.local_time(-1), "1999-12-31 23:59:59.999");
  unsetenv("TZ");
  tzset();
}

}  // namespace
}  // namespace kjoule
