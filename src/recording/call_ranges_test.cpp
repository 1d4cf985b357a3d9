#include "recording/call_ranges.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(CallRanges, NameTheirCall) {
  EXPECT_EQ(call_of_range(call_range(12)), 12U);
  for (const char* other : {"kjoule calls", "kjoule call ", "kjoule call 1x", "my range", ""})
    EXPECT_EQ(call_of_range(other), std::nullopt) << other;
}

}  // namespace
}  // namespace kjoule
