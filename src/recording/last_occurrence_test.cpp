#include "recording/last_occurrence.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(DistancesToLast, AreThoseOfTheWholeSequenceAndZeroForNewOnes) {
  const std::vector<uint32_t> items{1, 2, 3, 1, 2, 4, 1, 2, 3};
  EXPECT_EQ(distances_to_last(items, 1), (std::vector<uint32_t>{0, 0, 0, 3, 3, 0, 3, 3, 6}));
  EXPECT_EQ(distances_to_last(items, 2), (std::vector<uint32_t>{0, 0, 0, 0, 3, 0, 0, 3, 6}));
  EXPECT_EQ(distances_to_last(items, 3), (std::vector<uint32_t>{0, 0, 0, 0, 0, 0, 0, 0, 6}));
  EXPECT_EQ(distances_to_last(items, 10), std::vector<uint32_t>(9, 0));
  EXPECT_TRUE(distances_to_last({}, 1).empty());
}

}  // namespace
}  // namespace kjoule
