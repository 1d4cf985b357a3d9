#include "power/logs/csv_follower.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/files/files.hpp"

namespace kjoule {

CsvFollower::CsvFollower(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code ignored;
  if (!std::filesystem::exists(path_, ignored))
    throw Error(path_.string() + ": no such file",
                "check the name, and start the program that writes the file before kjoule");
  const InputFile file(path_, InputFile::Kind::regular);
}

void CsvFollower::take_part(std::string_view part, const std::function<void(std::string_view, bool)>& take) {
  const auto keep = [this](std::string_view text) {
    partial_line_ += text.substr(0, kLongestLogLine - partial_line_.size());
  };
  for (size_t end = 0; (end = part.find('\n')) != std::string_view::npos; part.remove_prefix(end + 1)) {
    keep(part.substr(0, end));
    take(partial_line_, is_first_);
    is_first_ = false;
    partial_line_.clear();
  }
  keep(part);
}

void CsvFollower::read(const std::function<void(std::string_view, bool)>& take) {
  const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status {};
  gone_ = file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode);
  if (gone_) {
    if (file >= 0) close(file);
    return;
  }
  const auto size = static_cast<uint64_t>(status.st_size);
  if (status.st_ino != file_ || size < offset_) {
    file_ = status.st_ino;
    offset_ = 0;
    partial_line_.clear();
    is_first_ = true;
  }
  std::array<char, 65536> part{};
  try {
    // The end is fixed, because a program may append faster than the file is read.
    while (offset_ < size) {
      const size_t wanted = std::min<uint64_t>(part.size(), size - offset_);
      const ssize_t got = pread(file, part.data(), wanted, static_cast<off_t>(offset_));
      if (got <= 0) break;
      offset_ += static_cast<uint64_t>(got);
      take_part({part.data(), static_cast<size_t>(got)}, take);
    }
  } catch (...) {
    close(file);
    throw;
  }
  close(file);
}

}  // namespace kjoule
