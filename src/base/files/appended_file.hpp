#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace kjoule {

/// A file to which pieces are appended, each of them completely or not at all. A piece has been given to the
/// operating system when append() returns, so it outlives this process.
class AppendedFile {
 public:
  enum class Contents { remove, keep };

  /// Opens the file, or creates it. Throws WriteError if that fails. Devices and pipes are also accepted.
  AppendedFile(const std::filesystem::path& path, Contents older);
  ~AppendedFile();
  AppendedFile(AppendedFile&& other) noexcept;
  AppendedFile& operator=(AppendedFile&&) = delete;

  /// Appends a piece. Throws WriteError if it cannot be written completely; the file then ends where it ended
  /// before.
  void append(std::string_view piece);
  template <typename Record>
  void append(std::span<const Record> records) {
    append({reinterpret_cast<const char*>(records.data()), records.size_bytes()});
  }
  /// Returns the size of the file, older contents included; of a device or pipe what was appended.
  uint64_t bytes() const { return bytes_; }

 private:
  std::filesystem::path path_;
  int file_ = -1;
  uint64_t bytes_ = 0;  ///< of all complete pieces
};

}  // namespace kjoule
