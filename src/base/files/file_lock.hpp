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
  /// Locks the file as soon as no other process has the lock, for changes that take milliseconds. Throws
  /// Error if the file cannot be written.
  static FileLock wait_for(const std::filesystem::path& path);
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

}  // namespace kjoule
