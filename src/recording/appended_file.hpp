#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace kjoule {

/// A new file to which pieces are appended, each of them completely or not at all.
class AppendedFile {
 public:
  /// Creates the file, or empties it. Throws Error if that fails.
  explicit AppendedFile(const std::filesystem::path& path);
  ~AppendedFile();
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;

  /// Appends a piece. Throws Error if it cannot be written completely; the file then ends where it ended
  /// before.
  void append(std::string_view piece);
  template <typename Record>
  void append(std::span<const Record> records) {
    append({reinterpret_cast<const char*>(records.data()), records.size_bytes()});
  }
  uint64_t bytes() const { return bytes_; }

 private:
  std::filesystem::path path_;
  int file_ = -1;
  uint64_t bytes_ = 0;  ///< of all complete pieces
};

}  // namespace kjoule
