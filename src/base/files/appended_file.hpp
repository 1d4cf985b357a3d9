#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace kjoule {

/// A file to which pieces are appended, each completely or not at all. When append() returns, the piece has
/// been passed to the operating system, so it is not lost if this process is killed.
class AppendedFile {
 public:
  enum class Contents { remove, keep };

  /// Opens the file, or creates it if it does not exist. `older` states whether existing contents are kept or
  /// removed. Throws WriteError if the file cannot be opened, or is not a regular file (OutputPlace).
  AppendedFile(const std::filesystem::path& path, Contents older);
  /// Opens a file that the user named on the command line, and keeps its contents. A pipe or a character
  /// device is also accepted. Throws WriteError if it cannot be opened.
  static AppendedFile named(const std::filesystem::path& path);
  ~AppendedFile();
  AppendedFile(AppendedFile&& other) noexcept;
  AppendedFile& operator=(AppendedFile&&) = delete;

  /// Appends a piece. Throws WriteError if the piece cannot be written completely; the file is then
  /// unchanged.
  void append(std::string_view piece);
  template <typename Record>
  void append(std::span<const Record> records) {
    append({reinterpret_cast<const char*>(records.data()), records.size_bytes()});
  }
  /// Returns whether the path of the file now leads to another file or to none, so that nobody will read what
  /// is appended.
  bool is_replaced() const;
  /// Returns the size of the file including older contents; for a device or pipe, the number of bytes
  /// appended.
  uint64_t bytes() const { return bytes_; }

 private:
  AppendedFile(std::filesystem::path path, int file);

  std::filesystem::path path_;
  int file_ = -1;
  uint64_t bytes_ = 0;  ///< number of bytes of older contents and complete pieces
};

}  // namespace kjoule
