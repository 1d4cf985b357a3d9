#include "ranges.hpp"

#include <gtest/gtest.h>

namespace kjoule::inject {
namespace {

TEST(Ranges, AreWholePagesJoinedWhereTheyTouch) {
  Ranges ranges;
  ranges.allocated(0x10000, 4096);
  ranges.allocated(0x11000, 10);   // touches the first
  ranges.allocated(0x20200, 512);  // within a page
  ranges.allocated(0x20800, 512);  // the same page
  EXPECT_EQ(ranges.pages(), (std::vector<PageRange>{{0x10000, 2}, {0x20000, 1}}));
}

TEST(Ranges, ForgetWhatIsReleased) {
  Ranges ranges;
  ranges.allocated(0x10000, 100);
  ranges.released(0x99999);
  EXPECT_TRUE(ranges.holds(0x10000 + 99));
  EXPECT_FALSE(ranges.holds(0x10000 + 100));
  ranges.released(0x10000);
  EXPECT_FALSE(ranges.holds(0x10000));
  EXPECT_TRUE(ranges.pages().empty());
}

}  // namespace
}  // namespace kjoule::inject
