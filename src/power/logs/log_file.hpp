#pragma once
#include <string>

#include "base/files/appended_file.hpp"

namespace kjoule {

/// A new file that always ends with a complete line: a line that does not fit on the disk is removed again.
class LogFile {
 public:
  /// Creates the file, or opens a device or pipe. Throws Error if the file exists and is not empty, or if it
  /// cannot be created.
  explicit LogFile(const std::string& path);

  /// Appends a line. Throws WriteError if it cannot be written, for example because the disk is full.
  void write(const std::string& line) { file_.append(line); }
  /// Removes the file, if this object created it.
  void remove() const;

 private:
  std::string path_;
  bool is_new_;  ///< whether nothing had this path before
  AppendedFile file_;
};

}  // namespace kjoule
