#include "base/files/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/error.hpp"
#include "base/files/output_place.hpp"

namespace kjoule {

namespace {

int open_lock(const std::filesystem::path& path) {
  return OutputPlace(path).open(O_RDWR);
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path) : descriptor_(open_lock(path)) {
  const char* elsewhere = "choose another folder with --output-dir";
  // On a file system that does not support locks, kjoule continues without a lock.
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  close(descriptor_);
  throw Error(path.string() + ": another kjoule process is writing to it",
              std::string("wait until it has ended, or ") + elsewhere);
}

FileLock FileLock::wait_for(const std::filesystem::path& path) {
  FileLock lock(open_lock(path));
  while (flock(lock.descriptor_, LOCK_EX) != 0 && errno == EINTR) {
  }
  return lock;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

}  // namespace kjoule
