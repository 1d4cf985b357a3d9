#include "base/huge_pages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace kjoule {
namespace {

/// Returns the flags of the mapping that contains the address, as /proc/self/smaps lists them.
std::string flags_of_mapping(const void* address) {
  std::ifstream lines("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(lines, line);) {
    unsigned long long begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx ", &begin, &end) == 2)
      here = begin <= reinterpret_cast<uintptr_t>(address) && reinterpret_cast<uintptr_t>(address) < end;
    else if (here && line.starts_with("VmFlags:"))
      return line + ' ';
  }
  return {};
}

TEST(HugePages, BackTheReservedRoom) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage"))
    GTEST_SKIP() << "this kernel has no huge pages";
  std::vector<uint64_t> values;
  reserve_huge(values, size_t{8} << 20);  // 64 MiB
  EXPECT_EQ(values.capacity(), size_t{8} << 20);
  EXPECT_NE(flags_of_mapping(values.data() + (size_t{4} << 20)).find(" hg "), std::string::npos);
}

TEST(HugePages, LeaveSmallRoomAlone) {
  std::vector<uint64_t> values;
  reserve_huge(values, 3);
  values.assign({1, 2, 3});
  EXPECT_EQ(values, (std::vector<uint64_t>{1, 2, 3}));
  reserve_huge(values, 0);
  EXPECT_EQ(values.size(), 3u);
}

}  // namespace
}  // namespace kjoule
