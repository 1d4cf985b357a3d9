#include "cuda/ranges.hpp"

#include <gtest/gtest.h>

namespace kjoule::inject {
namespace {

TEST(Ranges, ReachNoFurtherThanTheAllocation) {
  Ranges ranges;
  ranges.allocated(0x20200, 100);
  ranges.allocated(0x10000, 8200);
  ASSERT_EQ(ranges.all(), (std::vector<Range>{{0x10000, 8208}, {0x20200, 112}}));
  EXPECT_EQ(ranges.all()[0].pages(), 3u);
  EXPECT_EQ(ranges.all()[1].pages(), 1u);
}

TEST(Ranges, ForgetWhatIsReleased) {
  Ranges ranges;
  ranges.allocated(0x10000, 100);
  ranges.released(0x99999);
  EXPECT_TRUE(ranges.holds(0x10000 + 99));
  EXPECT_FALSE(ranges.holds(0x10000 + 100));
  ranges.released(0x10000);
  EXPECT_FALSE(ranges.holds(0x10000));
  EXPECT_TRUE(ranges.all().empty());
}

}  // namespace
}  // namespace kjoule::inject
