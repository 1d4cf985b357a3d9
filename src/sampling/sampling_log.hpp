#pragma once
#include <filesystem>
#include <fstream>
#include <string>

#include "base/clock.hpp"

namespace kjoule {

/// The log of one part of a sweep: a line every five samples, and one at the end.
class SamplingLog {
 public:
  /// `total` samples of the part, of which `before` were there already; the clock must outlive it. Throws
  /// Error when the file cannot be written.
  SamplingLog(const std::filesystem::path& path, std::string kernel, size_t total, size_t before,
              const Clock& clock);
  void sample_done();
  void finish();

 private:
  void write();

  std::ofstream file_;
  std::string kernel_;
  size_t total_, before_, done_;
  const Clock& clock_;
  int64_t start_ns_;
  size_t written_ = 0;  ///< samples that the last line tells
};

/// "[2024-01-15 10:30:45]Kernel: gelu_fp16 | Progress: 100/1000=10.00% | Speed: 1.23s/sample | Remaining:
/// 0d0h18m27s". The speed is "-" where no sample was done in this run.
std::string sampling_log_line(const std::string& time, const std::string& kernel, size_t done, size_t total,
                              double seconds, size_t done_in_them);

}  // namespace kjoule
