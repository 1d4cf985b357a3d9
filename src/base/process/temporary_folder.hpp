#pragma once
#include <filesystem>
#include <string>

namespace kjoule {

/// A new temporary folder, which is removed with its contents on destruction, when a signal ends this process
/// (end_by_signal), or when this process is killed (base/process/guardian.hpp).
class TemporaryFolder {
 public:
  /// Throws Error if the folder cannot be created.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// The temporary folders of one process: those in `parent` whose names begin with `prefix`. No other process
/// uses the prefix.
struct TemporaryFolders {
  std::filesystem::path parent;
  std::string prefix;

  /// Removes the folders with their contents; errors are ignored.
  void remove() const;
};

/// Returns the temporary folders of this process; `parent` is empty if the system has no temporary folder.
TemporaryFolders temporary_folders();
/// Removes all temporary folders of this process; their objects will not be destroyed.
void remove_temporary_folders();

}  // namespace kjoule
