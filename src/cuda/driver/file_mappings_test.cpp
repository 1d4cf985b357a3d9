#include "cuda/driver/file_mappings.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace kjoule::cuda {
namespace {

TEST(FileMappings, AreThoseOfFilesWithThePrefix) {
  const std::string path = "/dev/shm/kjoule-mapped-" + std::to_string(getpid());
  const int file = open(path.c_str(), O_CREAT | O_RDWR, 0600);
  ASSERT_GE(file, 0);
  ASSERT_EQ(ftruncate(file, 3 * kPageBytes), 0);
  void* memory = mmap(nullptr, 3 * kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const auto mappings = file_mappings("/dev/shm/kjoule-mapped-");
  ASSERT_EQ(mappings.size(), 1U);
  EXPECT_EQ(mappings[0].address, reinterpret_cast<uint64_t>(memory));
  EXPECT_EQ(mappings[0].bytes, 3 * kPageBytes);
  munmap(memory, 3 * kPageBytes);
  EXPECT_TRUE(file_mappings("/dev/shm/kjoule-mapped-").empty());
  close(file);
  unlink(path.c_str());
}

}  // namespace
}  // namespace kjoule::cuda
