#include "base/files/appended_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/files/output_place.hpp"
#include "base/write_error.hpp"

namespace kjoule {
namespace {

int open_for(const std::filesystem::path& path, AppendedFile::Contents older) {
  return OutputPlace(path).open(O_WRONLY | O_APPEND |
                                (older == AppendedFile::Contents::remove ? O_TRUNC : 0));
}

}  // namespace

AppendedFile::AppendedFile(const std::filesystem::path& path, Contents older)
    : AppendedFile(path, open_for(path, older)) {}

AppendedFile AppendedFile::named(const std::filesystem::path& path) {
  return is_stream(path) ? AppendedFile(path, open_stream(path)) : AppendedFile(path, Contents::keep);
}

AppendedFile::AppendedFile(std::filesystem::path path, int file) : path_(std::move(path)), file_(file) {
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

bool AppendedFile::is_replaced() const {
  struct stat ours {
  }, there{};
  if (fstat(file_, &ours) != 0 || stat(path_.c_str(), &there) != 0) return true;
  return ours.st_dev != there.st_dev || ours.st_ino != there.st_ino;
}

}  // namespace kjoule
