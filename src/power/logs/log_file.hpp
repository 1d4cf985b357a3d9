#pragma once
#include <string>

#include "base/files/appended_file.hpp"

namespace kjoule {

/// A new file of complete lines: a line that does not fit on the disk is removed again.
class LogFile {
 public:
  /// Creates the file. Throws Error if it exists and is not empty, or cannot be created. Devices and pipes
  /// are also accepted.
  explicit LogFile(const std::string& path);

  /// Appends a line. Throws WriteError if it cannot be written, for example because the disk is full.
  void write(const std::string& line) { file_.append(line); }

 private:
  AppendedFile file_;
};

}  // namespace kjoule
