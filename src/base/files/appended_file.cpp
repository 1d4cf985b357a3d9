#include "base/files/appended_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/write_error.hpp"

namespace kjoule {
namespace {

constexpr mode_t kMode = 0666;

}  // namespace

AppendedFile::AppendedFile(const std::filesystem::path& path, Contents older)
    : path_(path),
      file_(open(path.c_str(),
                 O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (older == Contents::remove ? O_TRUNC : 0),
                 kMode)) {
  if (file_ < 0) throw WriteError(path, errno);
  struct stat status {};
  if (fstat(file_, &status) == 0 && S_ISREG(status.st_mode)) bytes_ = static_cast<uint64_t>(status.st_size);
}

AppendedFile::~AppendedFile() {
  if (file_ >= 0) close(file_);
}

AppendedFile::AppendedFile(AppendedFile&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), bytes_(other.bytes_) {}

void AppendedFile::append(std::string_view piece) {
  for (std::string_view left = piece; !left.empty();) {
    const ssize_t written = write(file_, left.data(), left.size());
    if (written > 0) {
      left.remove_prefix(static_cast<size_t>(written));
    } else if (written == 0 || errno != EINTR) {
      const int error = written == 0 ? ENOSPC : errno;
      [[maybe_unused]] const int cut = ftruncate(file_, static_cast<off_t>(bytes_));
      throw WriteError(path_, error);
    }
  }
  bytes_ += piece.size();
}

}  // namespace kjoule
