#include "base/temporary_folder.hpp"

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <mutex>

#include "base/error.hpp"

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
  std::string pattern = (std::filesystem::temp_directory_path() / "kjoule-XXXXXX").string();
  const std::lock_guard lock(folders().mutex);
  if (mkdtemp(pattern.data()) == nullptr)
    throw Error("no temporary folder can be created: " + pattern, "TMPDIR names another place");
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
