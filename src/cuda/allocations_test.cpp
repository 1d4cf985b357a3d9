#include "cuda/allocations.hpp"

#include <gtest/gtest.h>

namespace kjoule::cuda {
namespace {

TEST(Allocations, ReachNoFurtherThanTheAllocation) {
  Allocations allocations;
  allocations.add(0x20200, 100);
  allocations.add(0x10000, 8200);
  ASSERT_EQ(allocations.all(), (std::vector<Allocation>{{0x10000, 8208}, {0x20200, 112}}));
  EXPECT_EQ(allocations.all()[0].pages(), 3u);
  EXPECT_EQ(allocations.all()[1].pages(), 1u);
}

TEST(Allocations, ForgetWhatIsReleased) {
  Allocations allocations;
  allocations.add(0x10000, 100);
  allocations.remove(0x99999);
  EXPECT_TRUE(allocations.contains(0x10000 + 99));
  EXPECT_FALSE(allocations.contains(0x10000 + 100));
  allocations.remove(0x10000);
  EXPECT_FALSE(allocations.contains(0x10000));
  EXPECT_TRUE(allocations.all().empty());
}

}  // namespace
}  // namespace kjoule::cuda
