#pragma once
#include <cstdint>
#include <string>

namespace kjoule {

/// A file that contains only complete lines. Each line is written to the operating system before write()
/// returns; a line that does not fit on the disk is removed again.
class LogFile {
 public:
  /// Creates the file. Throws Error if it exists and is not empty, or cannot be created. Devices and pipes
  /// are also accepted.
  explicit LogFile(const std::string& path);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  /// Appends a line. Throws Error if it cannot be written, for example because the disk is full.
  void write(const std::string& line);

 private:
  std::string path_;
  int file_ = -1;
  int64_t complete_bytes_ = 0;  ///< bytes in complete lines
};

}  // namespace kjoule
