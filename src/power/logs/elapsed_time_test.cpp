#include "power/logs/elapsed_time.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(ElapsedTime, HasTheUnitOfItsColumn) {
  EXPECT_EQ(read_elapsed_time("1.5", "time"), 1'500'000'000);
  EXPECT_EQ(read_elapsed_time("1,5", "t [s]"), 1'500'000'000);
  EXPECT_EQ(read_elapsed_time("1500", "elapsed_ms"), 1'500'000'000);
  EXPECT_EQ(read_elapsed_time("1500", "Time (ms)"), 1'500'000'000);
  EXPECT_EQ(read_elapsed_time("250", "t_us"), 250'000);
  EXPECT_EQ(read_elapsed_time("2", "minutes"), 120'000'000'000);
  EXPECT_EQ(read_elapsed_time("00:01:02.250", "elapsed_ms"), 62'250'000'000) << "a clock has no other unit";
  EXPECT_EQ(read_elapsed_time("0", "time"), 0);
  EXPECT_EQ(read_elapsed_time("5.25 ms", ""), 5'250'000);
  EXPECT_EQ(read_elapsed_time("5.25ms", "elapsed_us"), 5'250'000) << "the cell's own unit counts";
  EXPECT_EQ(read_elapsed_time("2 s", "t"), 2'000'000'000);
}

TEST(ElapsedTime, RefusesOtherTexts) {
  for (const char* text : {"", "-1", "x", "1:", ":1", "1:-2", "1e99", "nan", "5 V", "21:44:37:222",
                           "5 fortnights", "ms", "2026-02-04 10:15:00"})
    EXPECT_FALSE(read_elapsed_time(text, "time")) << text;
}

}  // namespace
}  // namespace kjoule
