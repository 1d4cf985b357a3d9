#include "collectives/machines_of_ranks.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace kjoule {
namespace {

TEST(MachinesOfRanks, AreCountedInAnyOrder) {
  EXPECT_EQ(count_machines({"a", "a", "a"}), 1);
  EXPECT_EQ(count_machines({"a", "a", "b", "b"}), 2);
  EXPECT_EQ(count_machines({"a", "b", "c", "a", "c", "b"}), 3);
}

TEST(MachinesOfRanks, HaveTheSameNumberOfRanks) {
  try {
    count_machines({"a", "a", "b"});
    FAIL() << "two ranks and one rank";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the machines have different numbers of ranks: b has 1, but a has 2");
  }
}

}  // namespace
}  // namespace kjoule
