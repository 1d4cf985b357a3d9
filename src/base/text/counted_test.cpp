#include "base/text/counted.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(Counted, NounsAndVerbsAgreeWithTheNumber) {
  EXPECT_EQ(counted(0, "kernel"), "0 kernels");
  EXPECT_EQ(counted(1, "kernel"), "1 kernel");
  EXPECT_EQ(counted(2, "launch"), "2 launches");
  EXPECT_EQ(counted(1, "launch"), "1 launch");
  EXPECT_EQ(agreeing(1, "is", "are"), "is");
  EXPECT_EQ(agreeing(0, "is", "are"), "are");
}

}  // namespace
}  // namespace kjoule
