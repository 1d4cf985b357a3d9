#pragma once
#include <filesystem>

namespace kjoule {

/// A lock that excludes other kjoule processes from a file. It is released when this object is destroyed, or
/// when the process ends in any way.
class FileLock {
 public:
  /// Locks the file, and creates it if necessary. Throws Error if another process has the lock, or if the
  /// file cannot be written.
  explicit FileLock(const std::filesystem::path& path);
  /// Waits until no other process has the lock, then locks the file; for changes that take milliseconds.
  /// Throws Error if the file cannot be written.
  static FileLock wait_for(const std::filesystem::path& path);
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

}  // namespace kjoule
