#include "base/files/output_place.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "base/files/appended_file.hpp"
#include "base/files/file_lock.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"
#include "base/write_error.hpp"

namespace kjoule {
namespace {

namespace fs = std::filesystem;

template <class Write>
std::string refusal_of(Write write) {
  try {
    write();
  } catch (const WriteError& error) {
    return error.line();
  }
  return "written";
}

/// A folder with a foreign file, and outputs that something else has taken the place of.
class TakenPlaces : public ::testing::Test {
 protected:
  void SetUp() override {
    write_atomic(foreign_, "of another");
    fs::create_symlink(foreign_, folder_ / "link");
    fs::create_symlink(folder_ / "new", folder_ / "dangling");
    fs::create_symlink("/dev/null", folder_ / "device");
    ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  }
  void TearDown() override {
    EXPECT_EQ(read_text(foreign_), "of another");
    EXPECT_FALSE(fs::exists(folder_ / "new"));
  }

  const TemporaryFolder folder_;
  const fs::path foreign_ = folder_ / "foreign";
};

TEST_F(TakenPlaces, NoOutputFollowsLinksOrOpensPipes) {
  for (const std::string name : {"link", "dangling", "device", "pipe"}) {
    const fs::path path = folder_ / name;
    const std::string why = name == "pipe"
                                ? ": is a pipe, not a regular file; remove it, or choose another file"
                                : ": is a symbolic link, which is not followed; remove it, or choose "
                                  "another file";
    const std::string refused = path.string() + why;
    EXPECT_EQ(refusal_of([&] { write_atomic(path, "x"); }), refused);
    EXPECT_EQ(refusal_of([&] { AppendedFile(path, AppendedFile::Contents::keep); }), refused);
    EXPECT_EQ(refusal_of([&] { AppendedFile(path, AppendedFile::Contents::remove); }), refused);
    EXPECT_EQ(refusal_of([&] { FileLock{path}; }), refused);
    EXPECT_TRUE(fs::symlink_status(path).type() != fs::file_type::regular);
  }
  EXPECT_EQ(refusal_of([&] { remove_incomplete_line(folder_ / "link", ""); }),
            (folder_ / "link").string() +
                ": is a symbolic link, which is not followed; remove it, or choose another file");
}

TEST_F(TakenPlaces, AppendsToNoFileWithASecondName) {
  fs::create_hard_link(foreign_, folder_ / "second");
  EXPECT_EQ(refusal_of([&] { AppendedFile(folder_ / "second", AppendedFile::Contents::remove); }),
            (folder_ / "second").string() +
                ": is also another file (a hard link), which would change with it; "
                "replace it by a copy, or choose another file");
  write_atomic(folder_ / "second", "own");  // replaces the name only
  EXPECT_EQ(read_text(folder_ / "second"), "own");
}

TEST_F(TakenPlaces, FindsThemInAFolder) {
  fs::create_directory(folder_ / "sub");
  fs::create_symlink(folder_.path(), folder_ / "sub/up");
  EXPECT_NE(refusal_of([&] { refuse_irregular_files(folder_ / "sub"); }).find("sub/up: is a symbolic link"),
            std::string::npos);
  EXPECT_NE(refusal_of([&] { make_subfolder(folder_ / "sub/up"); }).find("sub/up: is a symbolic link"),
            std::string::npos);
  fs::remove(folder_ / "sub/up");
  EXPECT_EQ(refusal_of([&] { refuse_irregular_files(folder_ / "sub"); }), "written");
}

TEST_F(TakenPlaces, StreamsThatTheUserNamedAreWritten) {
  EXPECT_EQ(refusal_of([&] { write_named(folder_ / "pipe", "x"); }),
            (folder_ / "pipe").string() +
                ": no program reads this pipe; start its reader first, or choose another file");
  write_named(folder_ / "device", "x");
  const int reader = open((folder_ / "pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  write_named(folder_ / "pipe", "through");
  AppendedFile::named(folder_ / "pipe").append(" and on");
  char got[32] = {};
  EXPECT_EQ(std::string(got, static_cast<size_t>(read(reader, got, sizeof got))), "through and on");
  close(reader);
  EXPECT_NE(refusal_of([&] { write_named(folder_ / "link", "x"); }).find("is a symbolic link"),
            std::string::npos);
}

TEST_F(TakenPlaces, CheckedStreamsStayOpen) {
  const fs::path pipe = folder_ / "pipe";
  EXPECT_EQ(refusal_of([&] { check_output_file(pipe); }),
            pipe.string() + ": no program reads this pipe; start its reader first, or choose another file");
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  check_output_file(pipe);
  char got[32] = {};
  EXPECT_EQ(read(reader, got, sizeof got), -1);  // EAGAIN: not the end, because a writer is there
  EXPECT_EQ(errno, EAGAIN);
  write_named(pipe, "x");
  EXPECT_EQ(read(reader, got, sizeof got), 1);
  EXPECT_EQ(read(reader, got, sizeof got), -1);
  close(reader);
}

TEST(CheckOutput, FindsFoldersThatCannotBeWritten) {
  const TemporaryFolder folder;
  write_atomic(folder / "file", "x");
  const std::string file = (folder / "file").string();
  EXPECT_EQ(refusal_of([&] { check_output_folder(folder / "file/a/b"); }),
            file + "/a/b: " + file + " is not a folder; choose another folder");
  EXPECT_EQ(refusal_of([&] { check_output_folder("/proc/results"); }),
            "/proc/results: cannot be written: not permitted; choose a folder that you may write to");
  EXPECT_EQ(refusal_of([&] { check_output_file("/proc/results"); }),
            "/proc/results: cannot be written: not permitted; choose a folder that you may write to");
  EXPECT_EQ(refusal_of([&] { check_output_file(folder.path()); }),
            folder.path().string() + ": is a folder; give the path of a file in it");
  EXPECT_EQ(refusal_of([&] { check_output_folder(folder / "a/b"); }), "written");
  EXPECT_EQ(refusal_of([&] { check_output_file(folder / "file"); }), "written");
  EXPECT_EQ(read_text(folder / "file"), "x");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);  // nothing was left behind
}

}  // namespace
}  // namespace kjoule
