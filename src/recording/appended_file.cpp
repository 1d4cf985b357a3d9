#include "recording/appended_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.hpp"

namespace kjoule {
namespace {

constexpr mode_t kReadableByAll = 0644;

[[noreturn]] void throw_cannot_write(const std::filesystem::path& path, int error) {
  throw Error(path.string() + " cannot be written: " + std::strerror(error), "TMPDIR names another place");
}

}  // namespace

AppendedFile::AppendedFile(const std::filesystem::path& path)
    : path_(path), file_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kReadableByAll)) {
  if (file_ < 0) throw_cannot_write(path, errno);
}

AppendedFile::~AppendedFile() {
  close(file_);
}

void AppendedFile::append(std::string_view piece) {
  for (std::string_view left = piece; !left.empty();) {
    const ssize_t written = write(file_, left.data(), left.size());
    if (written > 0) {
      left.remove_prefix(static_cast<size_t>(written));
    } else if (written == 0 || errno != EINTR) {
      const int error = written == 0 ? ENOSPC : errno;
      const auto end = static_cast<off_t>(bytes_);
      if (ftruncate(file_, end) == 0) lseek(file_, end, SEEK_SET);
      throw_cannot_write(path_, error);
    }
  }
  bytes_ += piece.size();
}

}  // namespace kjoule
