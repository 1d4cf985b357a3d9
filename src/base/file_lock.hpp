#pragma once
#include <filesystem>

namespace kjoule {

/// A lock that excludes other kjoule processes from a file. It ends with this object, or with the process,
/// however the process ends.
class FileLock {
 public:
  /// Locks the file, and creates it if necessary. Throws Error if another process has the lock, or the file
  /// cannot be written.
  explicit FileLock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace kjoule
