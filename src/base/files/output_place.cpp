#include "base/files/output_place.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <map>
#include <utility>

#include "base/files/files.hpp"
#include "base/process/interruption.hpp"
#include "base/process/signal_handler.hpp"
#include "base/write_error.hpp"

namespace kjoule {

namespace fs = std::filesystem;

namespace {

constexpr mode_t kMode = 0666;
constexpr int kMostNames = 100;  ///< number of names of temporary files that are tried
constexpr int kFlags = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

/// Throws WriteError unless `status` is that of a regular file.
void refuse_irregular(const fs::path& path, const struct stat& status) {
  const char* remedy = "remove it, or choose another file";
  if (S_ISDIR(status.st_mode)) throw WriteError(path, EISDIR);
  if (S_ISLNK(status.st_mode)) throw WriteError(path, "is a symbolic link, which is not followed", remedy);
  if (S_ISFIFO(status.st_mode)) throw WriteError(path, "is a pipe, not a regular file", remedy);
  if (!S_ISREG(status.st_mode)) throw WriteError(path, "is a device or a socket, not a regular file", remedy);
}

/// Closes the descriptor of an output that was refused, and throws.
template <class Refuse>
void close_if_refused(int file, Refuse refuse) {
  try {
    refuse();
  } catch (const WriteError&) {
    ::close(file);
    throw;
  }
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

/// Returns a name of a temporary file that no other thread or process of this machine uses.
std::string temporary_name_for(const std::string& name) {
  static std::atomic<unsigned> names = 0;
  return fmt::format(".{}.{}.{}.tmp", name, getpid(), ++names);
}

/// Creates a file in the open folder and removes it, because access() permits everything to root. Throws
/// WriteError that names `path` if this is not possible.
void probe_folder(int folder, const fs::path& path) {
  const UninterruptedStep step;  // so that the file is removed
  const std::string probe = temporary_name_for("kjoule");
  const int file = openat(folder, probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | kFlags, kMode);
  // In /proc, new files fail with ENOENT, although the folder exists.
  if (file < 0) throw WriteError(path, errno == ENOENT ? EACCES : errno);
  ::close(file);
  unlinkat(folder, probe.c_str(), 0);
}

/// The streams that check_output_file() opened, by the paths that name them.
std::map<fs::path, int>& kept_streams() {
  static std::map<fs::path, int> streams;
  return streams;
}

/// Returns whether the path leads to the pipe, socket or regular file of an open descriptor.
bool leads_to(const fs::path& path, int descriptor) {
  struct stat named {
  }, open{};
  return stat(path.c_str(), &named) == 0 && fstat(descriptor, &open) == 0 && !S_ISCHR(open.st_mode) &&
         named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

int open_new_stream(const fs::path& path) {
  const int stream = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (stream < 0 && errno == ENXIO)
    throw WriteError(path, "no program reads this pipe", "start its reader first, or choose another file");
  if (stream < 0) throw WriteError(path, errno);
  close_if_refused(stream, [&] {
    struct stat status {};
    const bool is_one = fstat(stream, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
    if (!is_one) throw WriteError(path, "was replaced by another file", "repeat the command");
    fcntl(stream, F_SETFL, fcntl(stream, F_GETFL) & ~O_NONBLOCK);
  });
  return stream;
}

/// Returns a descriptor of stdout, and makes stdout a second stderr.
int take_stdout(const fs::path& path) {
  const int stream = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (stream < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) throw WriteError(path, errno);
  return stream;
}

}  // namespace

OutputPlace::OutputPlace(const fs::path& path) : path_(path), name_(path.filename().string()) {
  if (name_.empty() || name_ == "." || name_ == "..") throw WriteError(path, EISDIR);
  const fs::path parent = path.has_parent_path() ? path.parent_path() : ".";
  folder_ = ::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) throw WriteError(path, errno);
  struct stat status {};
  if (fstatat(folder_, name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
    close_if_refused(folder_, [&] { refuse_irregular(path, status); });
}

OutputPlace::~OutputPlace() {
  ::close(folder_);
}

int OutputPlace::open(int flags) const {
  // The file is truncated only after it was checked.
  const int file = openat(folder_, name_.c_str(), (flags & ~O_TRUNC) | O_CREAT | kFlags, kMode);
  if (file < 0) throw WriteError(path_, errno);
  close_if_refused(file, [&] {
    struct stat status {};
    if (fstat(file, &status) != 0) throw WriteError(path_, errno);
    refuse_irregular(path_, status);
    if (status.st_nlink > 1)
      throw WriteError(path_, "is also another file (a hard link), which would change with it",
                       "replace it by a copy, or choose another file");
    if ((flags & O_TRUNC) != 0 && ftruncate(file, 0) != 0) throw WriteError(path_, errno);
  });
  return file;
}

int OutputPlace::create(const std::string& name) const {
  return openat(folder_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | kFlags, kMode);
}

void OutputPlace::replace(std::string_view text) const {
  const UninterruptedStep step;  // so that the temporary file is renamed or removed
  std::string half = temporary_name_for(name_);
  int file = create(half);
  // On a shared file system, a process of another machine may use the same name, or may have left it.
  for (int tries = 1; file < 0 && errno == EEXIST && tries < kMostNames; ++tries)
    file = create(half = temporary_name_for(name_));
  if (file < 0) throw WriteError(path_, errno);
  int error = write_all(file, text) ? 0 : errno;
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && renameat(folder_, half.c_str(), folder_, name_.c_str()) != 0) error = errno;
  if (error == 0) return;
  unlinkat(folder_, half.c_str(), 0);
  throw WriteError(path_, error);
}

void OutputPlace::check_writable() const {
  probe_folder(folder_, path_);
}

bool is_stream(const fs::path& path) {
  if (kept_streams().count(path) > 0 || is_stdout(path)) return true;
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
}

bool is_stdout(const fs::path& path) {
  return leads_to(path, STDOUT_FILENO);
}

int open_stream(const fs::path& path) {
  const auto kept = kept_streams().find(path);
  if (kept == kept_streams().end()) return open_new_stream(path);
  const int stream = fcntl(kept->second, F_DUPFD_CLOEXEC, 0);
  if (stream < 0) throw WriteError(path, errno);
  return stream;
}

void check_output_file(const fs::path& path) {
  if (!is_stream(path)) return OutputPlace(path).check_writable();
  if (kept_streams().count(path) > 0) return;
  if (leads_to(path, STDERR_FILENO))
    throw WriteError(path, "is also the standard error, to which kjoule writes its messages",
                     "redirect only one of them to it, or choose another file");
  kept_streams()[path] = is_stdout(path) ? take_stdout(path) : open_new_stream(path);
}

void check_output_folder(const fs::path& folder) {
  std::error_code ignored;
  fs::path there = fs::absolute(folder, ignored);
  while (fs::symlink_status(there, ignored).type() == fs::file_type::not_found && there.has_relative_path())
    there = there.parent_path();
  const int opened = ::open(there.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0 && errno == ENOTDIR)
    throw WriteError(folder,
                     (there == fs::absolute(folder, ignored) ? "" : there.string() + " ") + "is not a folder",
                     "choose another folder");
  if (opened < 0 && errno == ENOENT)
    throw WriteError(folder, "is a link to a folder that does not exist",
                     "create that folder, or choose another folder");
  if (opened < 0) throw WriteError(folder, errno);
  close_if_refused(opened, [&] { probe_folder(opened, folder); });
  ::close(opened);
}

void make_subfolder(const fs::path& folder) {
  std::error_code ignored;
  if (fs::is_symlink(folder, ignored))
    throw WriteError(folder, "is a symbolic link, which is not followed",
                     "remove it, or choose another folder");
  make_folder(folder);
}

void refuse_irregular_files(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(folder, ignored)) {
    struct stat status {};
    if (lstat(entry.path().c_str(), &status) == 0 && !S_ISDIR(status.st_mode))
      refuse_irregular(entry.path(), status);
  }
}

void write_named(const fs::path& path, std::string_view text) {
  if (!is_stream(path)) return write_atomic(path, text);
  const int stream = open_stream(path);
  const bool is_written = write_all(stream, text);
  const int error = errno;
  ::close(stream);
  if (!is_written) throw WriteError(path, error);
}

void write_atomic(const fs::path& path, std::string_view text) {
  OutputPlace(path).replace(text);
  note_written(path.string());
}

}  // namespace kjoule
