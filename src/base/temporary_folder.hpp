#pragma once
#include <filesystem>
#include <string>

namespace kjoule {

/// A new temporary folder, which is removed with its contents on destruction, or when a signal ends this
/// process (end_by_signal).
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

/// Removes all temporary folders that this process made; their objects will not be destroyed.
void remove_temporary_folders();

}  // namespace kjoule
