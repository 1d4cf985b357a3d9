#include "cuda/driver/allocations.hpp"

#include <gtest/gtest.h>

namespace kjoule::cuda {
namespace {

TEST(Allocations, ReachNoFurtherThanTheAllocation) {
  Allocations allocations;
  allocations.add({0x20200, 100});
  allocations.add({0x10000, 8200});
  ASSERT_EQ(allocations.all(), (std::vector<Allocation>{{0x10000, 8208}, {0x20200, 112}}));
  EXPECT_EQ(allocations.all()[0].pages(), 3u);
  EXPECT_EQ(allocations.all()[1].pages(), 1u);
}

TEST(Allocations, ForgetWhatIsReleased) {
  Allocations allocations;
  allocations.add({0x10000, 100});
  allocations.remove(0x99999);
  EXPECT_TRUE(allocations.contains(0x10000 + 99));
  EXPECT_FALSE(allocations.contains(0x10000 + 100));
  EXPECT_EQ(allocations.remove(0x10000), (std::vector<Allocation>{{0x10000, 112}}));
  EXPECT_FALSE(allocations.contains(0x10000));
  EXPECT_TRUE(allocations.all().empty());
}

TEST(Allocations, AreListedInWholeUnitsButKnownByTheirOwnAddress) {
  Allocations allocations;
  allocations.add({0x10ffc, 4, MemoryKind::host});
  EXPECT_EQ(allocations.all(), (std::vector<Allocation>{{0x10ff0, 16, MemoryKind::host}}))
      << "without the next page, which may not exist";
  EXPECT_FALSE(allocations.contains(0x10ff8));
  EXPECT_TRUE(allocations.remove(0x10ff0).empty());
  EXPECT_EQ(allocations.remove(0x10ffc).size(), 1u);
}

TEST(Allocations, ForgetWhatADestroyedContextOwned) {
  const int first = 0, second = 0;
  Allocations allocations;
  allocations.add({0x10000, 64}, &first);
  allocations.add({0x20000, 64}, &second);
  allocations.add({0x30000, 64, MemoryKind::mapped});
  const auto removed =
      allocations.remove_if([&](const Allocation&, const void* owner) { return owner == &first; });
  EXPECT_EQ(removed, std::vector<uint64_t>{0x10000});
  EXPECT_EQ(allocations.all().size(), 2u);
}

TEST(Allocations, ForgetAllThatIsReleasedAtOnce) {
  Allocations allocations;
  for (const uint64_t chunk : {0x0000, 0x2000, 0x4000})
    allocations.add({0x10000 + chunk, 0x2000, MemoryKind::mapped});
  EXPECT_EQ(allocations.remove(0x12000, 0x4000).size(), 2u);
  EXPECT_EQ(allocations.all(), (std::vector<Allocation>{{0x10000, 0x2000, MemoryKind::mapped}}));
}

TEST(MergeOverlaps, CoversTheSameMemory) {
  EXPECT_EQ(merge_overlaps({{0x4000, 0x1000}, {0x1000, 0x1000}, {0x1800, 0x1000}, {0x1900, 0x100}}),
            (std::vector<Allocation>{{0x1000, 0x1800}, {0x4000, 0x1000}}));
  EXPECT_EQ(merge_overlaps({{0x2000, 0x1000}, {0x1000, 0x1000}}).size(), 2u) << "neighbours stay apart";
}

TEST(Subtract, LeavesTheRest) {
  const std::vector<Allocation> range{{0x1000, 0x4000}};
  EXPECT_EQ(subtract(range, {}), range);
  EXPECT_EQ(subtract(range, {{0x0, 0x2000}, {0x3000, 0x800}, {0x9000, 0x10}}),
            (std::vector<Allocation>{{0x2000, 0x1000}, {0x3800, 0x1800}}));
  EXPECT_TRUE(subtract(range, {{0x0, 0x9000}}).empty());
  EXPECT_EQ(subtract({{0x1000, 0x1000}, {0x2000, 0x1000}}, {{0x1800, 0x1000}}),
            (std::vector<Allocation>{{0x1000, 0x800}, {0x2800, 0x800}}));
}

}  // namespace
}  // namespace kjoule::cuda
