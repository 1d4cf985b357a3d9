#pragma once
#include <filesystem>
#include <string>

#include "base/clock.hpp"
#include "base/files/appended_file.hpp"

namespace kjoule {

/// The log of one part of a sweep, with a line after every five samples and one at the end.
class SamplingLog {
 public:
  /// Opens the log of a part with `total` samples, `before` of which already had a row. `kernel` is the name
  /// in each line. The clock must outlive the log. Throws WriteError if the file cannot be written.
  SamplingLog(const std::filesystem::path& path, std::string kernel, size_t total, size_t before,
              const Clock& clock);
  /// Counts a sample, and writes a line after every fifth one.
  void count_sample();
  /// Writes a last line if samples were counted after the last written line.
  void finish();

 private:
  void write();

  AppendedFile file_;
  std::string kernel_;
  size_t total_, before_, done_;
  const Clock& clock_;
  int64_t start_ns_;
  size_t written_ = 0;  ///< number of samples in the last written line
};

/// Returns a line of the log: "[2024-01-15 10:30:45]Kernel: gelu_fp16 | Progress: 100/1000=10.00% | Speed:
/// 1.23s/sample | Remaining: 0d0h18m27s". In this run, `done_in_them` samples took `seconds`. If it is 0, the
/// speed is "-".
std::string sampling_log_line(const std::string& time, const std::string& kernel, size_t done, size_t total,
                              double seconds, size_t done_in_them);

}  // namespace kjoule
