#include "cuda/memory/host_room.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

namespace kjoule::cuda {

namespace {

TEST(HostRoom, IsWhatTheControlGroupLeaves) {
  EXPECT_EQ(600u, left_of_group("1000\n", "400\n", ""));
  EXPECT_EQ(0u, left_of_group("1000\n", "1200\n", ""));
}

TEST(HostRoom, FilesThatWereReadCanBeForgotten) {
  EXPECT_EQ(900u, left_of_group("1000\n", "400\n", "anon 90\ninactive_file 300\nactive_file 10\n"));
  EXPECT_EQ(1000u, left_of_group("1000\n", "400\n", "inactive_file 5000\n"));
}

TEST(HostRoom, AGroupWithoutLimitLeavesEverything) {
  constexpr uint64_t kEverything = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(kEverything, left_of_group("max\n", "400\n", ""));
  EXPECT_EQ(kEverything, left_of_group("", "", ""));
}

TEST(HostRoom, IsPartOfThisMachines) {
  const HostRoom room = host_room();
  EXPECT_GT(room.memory, 0u);
  EXPECT_LT(room.memory, uint64_t{1} << 50);
}

TEST(HostRoom, IsWhatTheEnvironmentSays) {
  setenv("KJOULE_HOST_ROOM", "123", 1);
  setenv("KJOULE_FILE_ROOM", "45", 1);
  const HostRoom room = host_room();
  unsetenv("KJOULE_HOST_ROOM");
  unsetenv("KJOULE_FILE_ROOM");
  EXPECT_EQ(123u, room.memory);
  EXPECT_EQ(45u, room.file);
}

}  // namespace

}  // namespace kjoule::cuda
