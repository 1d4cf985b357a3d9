#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace kjoule {

/// Document limit: the most bytes of a file that is read as a whole (networks, sweeps, rules, baselines,
/// reports, sampled tables).
constexpr size_t kDocumentLimit = size_t{64} << 20;
/// Line limit: the most bytes of one line of a file that is read line by line, and of one row of a CSV file.
constexpr size_t kLineLimit = size_t{64} << 20;

/// Name limit: the most bytes of the name of a kernel, an operator, a call or a range in a file.
constexpr size_t kNameLimit = size_t{1} << 20;

/// Returns a number of bytes as text, such as "64 MiB". `bytes` is a multiple of 1 KiB.
std::string limit_text(size_t bytes);

/// A file that the user named, opened for reading. Only regular files and pipes with a writer are opened:
/// devices may be endless, and a pipe without a writer would never be. A regular file ends at the size that
/// it had when it was opened, also if another program appends to it faster than it is read.
class InputFile {
 public:
  /// `regular` refuses pipes, too: a pipe can be read only once, and not be mapped into memory.
  enum class Kind { regular, regular_or_pipe };
  /// Throws Error with a remedy, such as "PATH: no such file".
  explicit InputFile(const std::filesystem::path& path, Kind kind = Kind::regular_or_pipe);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Reads at most `size` bytes, and returns their number; 0 at the end. Throws Error if the file cannot be
  /// read.
  size_t read(char* to, size_t size);
  /// Returns the size of a regular file when it was opened, in bytes; no value for pipes, and for files such
  /// as those in /proc, whose size is unknown until they are read.
  const std::optional<size_t>& size() const { return size_; }
  int descriptor() const { return fd_; }

 private:
  void start_pipe();

  std::filesystem::path path_;
  int fd_ = -1;
  std::optional<size_t> size_;
  size_t left_ = 0;            ///< bytes that read() may still return
  std::optional<char> begun_;  ///< the first byte of a pipe, which read() returns first
};

/// Throws the Error for a file that could not be opened or read; `error` is errno.
[[noreturn]] void throw_cannot_read(const std::filesystem::path& path, int error);

}  // namespace kjoule
