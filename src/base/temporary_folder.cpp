#include "base/temporary_folder.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <mutex>

#include "base/error.hpp"
#include "base/write_error.hpp"

namespace kjoule {

namespace {

/// The temporary folders of this process, and after a fork those of its parent.
struct Folders {
  std::mutex mutex;
  std::map<std::filesystem::path, pid_t> makers;
};

Folders& folders() {
  static auto* all = new Folders;  // a signal may end the process while it is exiting
  return *all;
}

void remove_folder(const std::filesystem::path& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::error_code failed;
  const std::filesystem::path place = std::filesystem::temp_directory_path(failed);
  if (failed) throw Error("there is no folder for temporary files", "set TMPDIR to one");
  std::string pattern = (place / "kjoule-XXXXXX").string();
  const std::lock_guard lock(folders().mutex);
  if (mkdtemp(pattern.data()) == nullptr) throw WriteError(pattern, errno);
  path_ = pattern;
  folders().makers[path_] = getpid();
}

TemporaryFolder::~TemporaryFolder() {
  remove_folder(path_);
  const std::lock_guard lock(folders().mutex);
  folders().makers.erase(path_);
}

void remove_temporary_folders() {
  const std::lock_guard lock(folders().mutex);
  for (const auto& [path, maker] : folders().makers)
    if (maker == getpid()) remove_folder(path);
}

}  // namespace kjoule
