#include "power/logs/csv_follower.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace kjoule {

CsvFollower::CsvFollower(std::filesystem::path path) : path_(std::move(path)) {
  const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == EACCES)
    throw Error(path_.string() + ": you have no permission to read this file",
                "check its permissions (ls -l)");
  if (file < 0 && errno == ENOENT)
    throw Error(path_.string() + ": no such file",
                "check the name, and start the program that writes the file before kjoule");
  if (file < 0)
    throw Error(fmt::format("{}: cannot be read: {}", path_.string(), std::strerror(errno)),
                "check the file, or choose another power meter with --source or --power-source");
  close(file);
}

std::vector<std::string> CsvFollower::read() {
  from_beginning_ = false;
  const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  gone_ = file < 0 || fstat(file, &status) != 0;
  if (gone_) {
    if (file >= 0) close(file);
    return {};
  }
  if (status.st_ino != file_ || static_cast<uint64_t>(status.st_size) < offset_) {
    file_ = status.st_ino;
    offset_ = 0;
    partial_line_.clear();
    header_next_ = true;
  }
  std::array<char, 65536> part{};
  for (ssize_t got = 0; (got = pread(file, part.data(), part.size(), static_cast<off_t>(offset_))) > 0;) {
    partial_line_.append(part.data(), static_cast<size_t>(got));
    offset_ += static_cast<uint64_t>(got);
  }
  close(file);
  std::vector<std::string> lines;
  size_t from = 0;
  for (size_t end = 0; (end = partial_line_.find('\n', from)) != std::string::npos; from = end + 1)
    lines.push_back(partial_line_.substr(from, end - from));
  partial_line_.erase(0, from);
  from_beginning_ = header_next_ && !lines.empty();
  if (from_beginning_) header_next_ = false;
  return lines;
}

}  // namespace kjoule
