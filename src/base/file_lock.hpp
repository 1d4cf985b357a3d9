#pragma once
#include <filesystem>

namespace kjoule {

/// Keeps other kjoules off a file while it lives; gone with the process, however that ends.
class FileLock {
 public:
  /// Makes the file where there is none. Throws Error when another process holds it, or it cannot be written.
  explicit FileLock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace kjoule
