#include "base/text/signed_text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace kjoule {
namespace {

TEST(SignedText, HasASignUnlessItIsZero) {
  EXPECT_EQ(signed_text(1.256, 2), "+1.26");
  EXPECT_EQ(signed_text(-20, 1), "-20.0");
  EXPECT_EQ(signed_text(-0.004, 2), "0.00");
  EXPECT_EQ(signed_text(0.004, 2), "0.00");
  EXPECT_EQ(signed_text(0, 0), "0");
  EXPECT_EQ(signed_text(-std::numeric_limits<double>::infinity(), 1), "-inf");
}

TEST(DecimalText, HasAMinusUnlessItIsZero) {
  EXPECT_EQ(decimal_text(1.256, 2), "1.26");
  EXPECT_EQ(decimal_text(-20, 1), "-20.0");
  EXPECT_EQ(decimal_text(-0.004, 2), "0.00");
}

}  // namespace
}  // namespace kjoule
