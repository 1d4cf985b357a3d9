#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kjoule {

/// The lines of a file while it grows.
class CsvFollower {
 public:
  /// Throws Error when the file is not there or may not be read.
  explicit CsvFollower(std::filesystem::path path);

  /// The whole lines, without their ends, since the last call. When the file is gone or was started again,
  /// reading goes on from the beginning of the new one.
  std::vector<std::string> read();
  /// Whether the first line of the last read() is the file's first.
  bool from_beginning() const { return from_beginning_; }
  bool gone() const { return gone_; }

 private:
  std::filesystem::path path_;
  uint64_t file_ = 0;  ///< its inode
  uint64_t offset_ = 0;
  std::string half_;
  bool header_next_ = true;
  bool from_beginning_ = false;
  bool gone_ = false;
};

/// Which columns of such a file hold what.
struct CsvColumns {
  size_t count = 0;
  std::optional<size_t> time{};
  std::optional<size_t> gpu{};
  std::vector<size_t> powers{};
  std::vector<std::string> names{};  ///< of all columns

  /// By the names asked for, or, where these are empty, by those that loggers use. Throws Error for one that
  /// is not there.
  static CsvColumns of_header(const std::string& line, const std::string& time,
                              const std::vector<std::string>& powers);
  /// Watts in a cell of that column; nothing where there is no number.
  std::optional<double> watts(const std::vector<std::string>& cells, size_t column) const;
};

}  // namespace kjoule
