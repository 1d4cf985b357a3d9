#include "base/files/input_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

namespace fs = std::filesystem;

class InputFiles : public testing::Test {
 protected:
  static std::string refusal_of(const fs::path& path, InputFile::Kind kind) {
    try {
      const InputFile file(path, kind);
      return "";
    } catch (const Error& error) {
      return error.line();
    }
  }
  static std::string rest_of(InputFile& file) {
    std::string text;
    char one = 0;
    while (file.read(&one, 1) > 0) text += one;
    return text;
  }

  const TemporaryFolder folder_;
};

TEST_F(InputFiles, AreRegularFilesOrPipesWithAWriter) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", folder_ / "endless");
  for (const auto kind : {InputFile::Kind::regular, InputFile::Kind::regular_or_pipe}) {
    EXPECT_EQ(refusal_of("/dev/zero", kind), "/dev/zero: is not a regular file; give the path of a file");
    EXPECT_EQ(refusal_of(folder_ / "endless", kind),
              (folder_ / "endless").string() + ": is not a regular file; give the path of a file");
    EXPECT_EQ(refusal_of("/", kind), "/: is a folder; give the path of a file in it");
    EXPECT_EQ(refusal_of("/none", kind), "/none: no such file; check the name and the folder");
  }
  EXPECT_EQ(refusal_of(pipe, InputFile::Kind::regular),
            pipe.string() + ": is not a regular file; give the path of a file");
  EXPECT_EQ(refusal_of(pipe, InputFile::Kind::regular_or_pipe),
            pipe.string() +
                ": is a pipe into which no program writes; start the program that writes into it "
                "first, or give the path of a file");
}

TEST_F(InputFiles, ReadPipesToTheirEnd) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  InputFile empty_yet("/dev/fd/" + std::to_string(ends[0]));  // has a writer, but no contents
  std::thread writer([&] {
    EXPECT_EQ(write(ends[1], "abc", 3), 3);
    close(ends[1]);
  });
  EXPECT_EQ(rest_of(empty_yet), "abc");
  writer.join();
  close(ends[0]);
}

TEST_F(InputFiles, EndAtTheSizeThatTheyHadWhenTheyWereOpened) {
  write_atomic(folder_ / "log", "one\n");
  InputFile file(folder_ / "log");
  EXPECT_EQ(file.size(), 4u);
  const int appended = open((folder_ / "log").c_str(), O_WRONLY | O_APPEND);
  ASSERT_EQ(write(appended, "two\n", 4), 4);
  close(appended);
  EXPECT_EQ(rest_of(file), "one\n");
}

TEST_F(InputFiles, OfTheKernelHaveNoSize) {
  InputFile file("/proc/self/status");
  EXPECT_FALSE(file.size());
  EXPECT_NE(rest_of(file).find("Name:"), std::string::npos);
}

TEST_F(InputFiles, AreReadAsAWholeUpToTheDocumentLimit) {
  write_atomic(folder_ / "text", "12345");
  EXPECT_EQ(read_text(folder_ / "text", 5), "12345");
  try {
    read_text(folder_ / "text", 4);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.line().find("(document limit)"), std::string::npos);
  }
}

TEST_F(InputFiles, HaveLinesUpToTheLineLimit) {
  const fs::path path = folder_ / "lines";
  write_atomic(path, "one\n");
  fs::resize_file(path, kLineLimit + 10);  // zeros, which take no room on the disk
  size_t lines = 0;
  try {
    read_whole_lines(path, [&](std::string_view, bool) { ++lines; });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.line(), path.string() +
                                ":2: the line has more than 64 MiB (line limit); check that this "
                                "is the right file, or create it again");
  }
  EXPECT_EQ(lines, 1u);
}

}  // namespace
}  // namespace kjoule
