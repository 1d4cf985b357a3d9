#include "base/files/private_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

namespace fs = std::filesystem;

class PrivateFolder : public testing::Test {
 protected:
  TemporaryFolder root_;
  fs::path folder_ = root_ / "a/b";
};

TEST_F(PrivateFolder, IsMadeForThisUserOnly) {
  EXPECT_EQ(why_not_private(folder_), "") << "what does not exist was written by nobody";
  make_private_folder(folder_);
  make_private_folder(folder_);
  for (const fs::path& made : {folder_, folder_.parent_path()}) {
    struct stat status {};
    ASSERT_EQ(stat(made.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700) << made;
  }
  EXPECT_EQ(why_not_private(folder_), "");
}

TEST_F(PrivateFolder, IsNotOneThatOthersMayWriteTo) {
  make_private_folder(folder_);
  write_atomic(folder_ / "model", "");
  chmod((folder_ / "model").c_str(), 0644);
  EXPECT_EQ(why_not_private(folder_), "") << "others may read";
  chmod((folder_ / "model").c_str(), 0646);
  EXPECT_EQ(why_not_private(folder_), (folder_ / "model").string() + " can be written by other users");
  chmod((folder_ / "model").c_str(), 0600);
  chmod(folder_.c_str(), 0770);
  EXPECT_EQ(why_not_private(folder_), folder_.string() + " can be written by other users");
}

TEST_F(PrivateFolder, IsNotOneOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  make_private_folder(folder_);
  ASSERT_EQ(symlink(folder_.c_str(), (root_ / "link").c_str()), 0);
  EXPECT_EQ(why_not_private(root_ / "link"), "");
  ASSERT_EQ(lchown((root_ / "link").c_str(), 65534, 65534), 0);
  EXPECT_EQ(why_not_private(root_ / "link"), (root_ / "link").string() + " belongs to another user");
  ASSERT_EQ(chown(folder_.c_str(), 65534, 65534), 0);
  EXPECT_EQ(why_not_private(folder_), folder_.string() + " belongs to another user");
}

TEST_F(PrivateFolder, CannotBeMadeInAFile) {
  write_atomic(root_ / "a", "");
  EXPECT_THROW(make_private_folder(folder_), Error);
}

}  // namespace
}  // namespace kjoule
