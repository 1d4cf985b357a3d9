#include "power/logs/log_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/error.hpp"

namespace kjoule {

namespace {

[[noreturn]] void cannot_write(const std::string& path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  throw Error(fmt::format("{}: cannot be written: {}", path, full ? "no space left" : std::strerror(error)),
              full ? "free some space; what was logged before is kept" : "name another file with -o");
}

}  // namespace

LogFile::LogFile(const std::string& path)
    : path_(path), file_(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  if (file_ < 0) cannot_write(path, errno);
  struct stat status {};
  if (fstat(file_, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    close(file_);
    throw Error(path + ": exists already", "name another file with -o, or remove it");
  }
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is then an error of write(), like a full disk
}

LogFile::~LogFile() {
  close(file_);
}

void LogFile::write(const std::string& line) {
  size_t done = 0;
  while (done < line.size()) {
    const ssize_t written = ::write(file_, line.data() + done, line.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      if (done > 0) [[maybe_unused]]
        const int cut = ftruncate(file_, complete_bytes_);
      cannot_write(path_, error);
    }
    done += static_cast<size_t>(written);
  }
  complete_bytes_ += static_cast<int64_t>(line.size());
}

}  // namespace kjoule
