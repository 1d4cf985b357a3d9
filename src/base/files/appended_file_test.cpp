#include "base/files/appended_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <functional>

#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"
#include "base/write_error.hpp"

namespace kjoule {
namespace {

using Contents = AppendedFile::Contents;

/// Limits the size of files while an object exists.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
    signal_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~SizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }
  SizeLimit(const SizeLimit&) = delete;
  SizeLimit& operator=(const SizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*signal_)(int);
};

std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const WriteError& error) {
    return error.line();
  }
  return "no error";
}

TEST(AppendedFile, KeepsOrRemovesOlderContents) {
  const TemporaryFolder folder;
  AppendedFile(folder / "a", Contents::remove).append("one\n");
  AppendedFile kept(folder / "a", Contents::keep);
  EXPECT_EQ(kept.bytes(), 4u);
  kept.append("two\n");
  EXPECT_EQ(kept.bytes(), 8u);
  EXPECT_EQ(read_text(folder / "a"), "one\ntwo\n");
  AppendedFile(folder / "a", Contents::remove).append("three\n");
  EXPECT_EQ(read_text(folder / "a"), "three\n");
}

TEST(AppendedFile, RemovesAPieceThatDoesNotFit) {
  const TemporaryFolder folder;
  AppendedFile file(folder / "a", Contents::remove);
  file.append("12345\n");
  {
    const SizeLimit limit(10);
    EXPECT_EQ(error_of([&] { file.append("1234567\n"); }),
              (folder / "a").string() +
                  ": cannot be written: the limit on the size of files is reached; lift it (ulimit -f)");
    EXPECT_EQ(read_text(folder / "a"), "12345\n");
    file.append("abc\n");
  }
  file.append("1234567\n");
  EXPECT_EQ(read_text(folder / "a"), "12345\nabc\n1234567\n");
}

TEST(AppendedFile, NamesAFullDiskAndTheWayOn) {
  AppendedFile file = AppendedFile::named("/dev/full");
  EXPECT_EQ(error_of([&] { file.append("1"); }),
            "/dev/full: cannot be written: no space left; free some space, or choose another folder");
  EXPECT_EQ(WriteError(WriteError("/dev/full", ENOSPC), "run it again").line(),
            "/dev/full: cannot be written: no space left; free some space, then run it again");
}

TEST(AppendedFile, NamesAFolderThatIsNotThere) {
  const TemporaryFolder folder;
  const std::string line = (folder / "b" / "a").string() +
                           ": cannot be written: no such folder; create the folder " +
                           (folder / "b").string() + " first";
  EXPECT_EQ(error_of([&] { AppendedFile(folder / "b" / "a", Contents::keep); }), line);
  EXPECT_EQ(WriteError(WriteError(folder / "b" / "a", ENOENT), "run it again").line(), line)
      << "it is not full";
}

}  // namespace
}  // namespace kjoule
