#include "base/files/file_lock.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

TEST(FileLock, HoldsUntilItsEnd) {
  const TemporaryFolder folder;
  {
    FileLock first(folder / "rows");
    EXPECT_THROW(FileLock(folder / "rows"), Error);
    const FileLock moved(std::move(first));
    EXPECT_THROW(FileLock(folder / "rows"), Error);
    EXPECT_NO_THROW(FileLock(folder / "others"));
  }
  EXPECT_NO_THROW(FileLock(folder / "rows"));
  EXPECT_THROW(FileLock(folder / "none" / "rows"), Error);
}

}  // namespace
}  // namespace kjoule
