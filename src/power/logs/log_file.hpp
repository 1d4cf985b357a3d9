#pragma once
#include <cstdint>
#include <string>

namespace kjoule {

/// A file of whole lines: each is on its way to the disk when write() returns, and one that does not fit is
/// taken back.
class LogFile {
 public:
  /// Throws Error when it is there already and not empty, or cannot be made. Devices and pipes are written
  /// to as they are.
  explicit LogFile(const std::string& path);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  /// Throws Error when the disk is full.
  void write(const std::string& line);

 private:
  std::string path_;
  int file_ = -1;
  int64_t whole_ = 0;  ///< bytes in whole lines
};

}  // namespace kjoule
