#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace kjoule {

/// Reads the lines of a regular file while another program appends to it.
class CsvFollower {
 public:
  /// Throws Error if the file does not exist, may not be read, or is not a regular file.
  explicit CsvFollower(std::filesystem::path path);

  /// Calls `take` with each complete line since the last call, without its line end, up to the end that the
  /// file has at the time of this call; `is_first` is true for the first line of a file. If the file was
  /// replaced or truncated, reading continues at the beginning of the new file. Lines are cut after 64 KiB.
  void read(const std::function<void(std::string_view line, bool is_first)>& take);
  /// Returns whether the last read() could not open the file.
  bool gone() const { return gone_; }

 private:
  void take_part(std::string_view part, const std::function<void(std::string_view, bool)>& take);

  std::filesystem::path path_;
  uint64_t file_ = 0;         ///< the file's inode number
  uint64_t offset_ = 0;       ///< bytes of the file that were read
  std::string partial_line_;  ///< at most kLongestLogLine bytes
  bool is_first_ = true;      ///< whether the next line is the first of the file
  bool gone_ = false;
};

}  // namespace kjoule
