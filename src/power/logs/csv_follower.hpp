#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kjoule {

/// Reads the lines of a file while another program appends to it.
class CsvFollower {
 public:
  /// Throws Error if the file does not exist or may not be read.
  explicit CsvFollower(std::filesystem::path path);

  /// Returns the complete lines since the last call, without line ends. If the file was replaced or
  /// truncated, reading continues at the beginning of the new file.
  std::vector<std::string> read();
  /// Returns whether the first line of the last read() was the first line of the file.
  bool from_beginning() const { return from_beginning_; }
  /// Returns whether the last read() could not open the file.
  bool gone() const { return gone_; }

 private:
  std::filesystem::path path_;
  uint64_t file_ = 0;    ///< the file's inode number
  uint64_t offset_ = 0;  ///< bytes of the file that were read
  std::string partial_line_;
  bool header_next_ = true;
  bool from_beginning_ = false;
  bool gone_ = false;
};

}  // namespace kjoule
