#include "base/numbers/checked_count.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

constexpr int64_t kHuge = int64_t{1} << 40;

TEST(CheckedCount, ReturnsProductsAndSums) {
  EXPECT_EQ(checked_product({3, 1 << 20, 1 << 20}), 3 * kHuge);
  EXPECT_EQ(checked_product({}), 1);
  EXPECT_EQ(checked_product({0, INT64_MAX}), 0);
  EXPECT_EQ(checked_product({1, kLargestCount}), kLargestCount);
  EXPECT_EQ(checked_sum({kLargestCount, -1}), kLargestCount - 1);
}

TEST(CheckedCount, RefusesLargerOnes) {
  EXPECT_THROW(checked_product({kLargestCount, 2}), Error);
  EXPECT_THROW(checked_product({kHuge, kHuge}), Error);
  EXPECT_THROW(checked_product({kHuge, -kHuge}), Error);
  EXPECT_THROW(checked_product({INT64_MAX, INT64_MAX, 0}), Error);
  EXPECT_THROW(checked_sum({kLargestCount, 1}), Error);
  EXPECT_THROW(checked_sum({INT64_MAX, INT64_MAX}), Error);
  EXPECT_THROW(checked_count(INT64_MIN), Error);
}

}  // namespace
}  // namespace kjoule
