#include "base/files/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>

#include "base/error.hpp"

namespace kjoule {

namespace {

/// Most bytes that are read from a regular file that has no size, so many that the limit of documents names
/// the cause.
constexpr size_t kMostWithoutSize = kDocumentLimit + 4096;  // some are read in whole records only

[[noreturn]] void refuse_kind(const std::filesystem::path& path) {
  throw Error(path.string() + ": is not a regular file", "give the path of a file");
}

/// Refuses folders, devices and sockets by the mode of stat().
void refuse_mode(const std::filesystem::path& path, mode_t mode, InputFile::Kind kind) {
  if (S_ISDIR(mode)) throw_cannot_read(path, EISDIR);
  if (!S_ISREG(mode) && (!S_ISFIFO(mode) || kind == InputFile::Kind::regular)) refuse_kind(path);
}

ssize_t read_some(int fd, char* to, size_t size) {
  ssize_t got = 0;
  do got = ::read(fd, to, size);
  while (got < 0 && errno == EINTR);
  return got;
}

/// Waits until a pipe has contents or no writer. Throws Error if this takes too long. Files without a size,
/// such as those in /proc, are always ready.
void wait_for_writer(int fd, const std::filesystem::path& path) {
  constexpr auto kLongestSilence = std::chrono::seconds(5);
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + kLongestSilence;
  pollfd pipe{fd, POLLIN, 0};
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    const int ready = ::poll(&pipe, 1, static_cast<int>(std::max<int64_t>(left, 0)));
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) throw_cannot_read(path, errno);
    if (ready == 0)
      throw Error(fmt::format("{}: is a pipe whose writer wrote nothing for {} s", path.string(),
                              kLongestSilence.count()),
                  "write the contents to a file first, and give its path");
  }
}

}  // namespace

std::string limit_text(size_t bytes) {
  constexpr size_t kKiB = size_t{1} << 10, kMiB = size_t{1} << 20;
  return bytes % kMiB == 0 ? fmt::format("{} MiB", bytes / kMiB) : fmt::format("{} KiB", bytes / kKiB);
}

void throw_cannot_read(const std::filesystem::path& path, int error) {
  if (error == ENOENT) throw Error(path.string() + ": no such file", "check the name and the folder");
  if (error == EISDIR) throw Error(path.string() + ": is a folder", "give the path of a file in it");
  if (error == EACCES)
    throw Error(path.string() + ": you have no permission to read this file",
                "check its permissions (ls -l)");
  throw Error(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(error)),
              "check the name, the folder and the file system");
}

InputFile::InputFile(const std::filesystem::path& path, Kind kind) : path_(path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) throw_cannot_read(path, errno);
  refuse_mode(path, about.st_mode, kind);  // before opening it, which may have effects on a device
  // Without O_NONBLOCK, a pipe without a writer would not be opened until there is one.
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd_ < 0) throw_cannot_read(path, errno);
  try {
    if (::fstat(fd_, &about) != 0) throw_cannot_read(path, errno);
    refuse_mode(path, about.st_mode, kind);  // another file may have taken its place
    if (S_ISREG(about.st_mode) && about.st_size > 0) size_ = static_cast<size_t>(about.st_size);
    // A file without a size is made by the system when it is read (/proc), and some of them have no end.
    left_ = S_ISREG(about.st_mode) ? size_.value_or(kMostWithoutSize) : SIZE_MAX;
    if (S_ISFIFO(about.st_mode)) start_pipe();
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

InputFile::~InputFile() {
  ::close(fd_);
}

/// Checks that a pipe has a writer or contents, and lets read() wait for them.
void InputFile::start_pipe() {
  char first = 0;
  const ssize_t got = read_some(fd_, &first, 1);
  if (got == 0)
    throw Error(path_.string() + ": is a pipe into which no program writes",
                "start the program that writes into it first, or give the path of a file");
  if (got < 0 && errno != EAGAIN) throw_cannot_read(path_, errno);
  if (got > 0) begun_ = first;
  if (::fcntl(fd_, F_SETFL, O_RDONLY) != 0) throw_cannot_read(path_, errno);
}

size_t InputFile::read(char* to, size_t size) {
  size = std::min(size, left_);
  if (size == 0) return 0;
  if (begun_) {
    *to = *begun_;
    begun_.reset();
    return 1;
  }
  if (!size_) wait_for_writer(fd_, path_);
  const ssize_t got = read_some(fd_, to, size);
  if (got < 0) throw_cannot_read(path_, errno);
  left_ -= static_cast<size_t>(got);
  return static_cast<size_t>(got);
}

}  // namespace kjoule
