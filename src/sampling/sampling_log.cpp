#include "sampling/sampling_log.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/files/output_place.hpp"

namespace kjoule {

namespace {

constexpr size_t kLineEvery = 5;  ///< samples

AppendedFile open_in_new_folder(const std::filesystem::path& path) {
  make_subfolder(path.parent_path());
  return {path, AppendedFile::Contents::keep};
}

std::string remaining_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  return fmt::format("{}d{}h{}m{}s", whole / 86400, whole / 3600 % 24, whole / 60 % 60, whole % 60);
}

}  // namespace

std::string sampling_log_line(const std::string& time, const std::string& kernel, size_t done, size_t total,
                              double seconds, size_t done_in_them) {
  const double percent = total == 0 ? 100 : 100.0 * static_cast<double>(done) / static_cast<double>(total);
  std::string speed = "-", remaining = done == total ? remaining_text(0) : "-";
  if (done_in_them > 0) {
    const double each = seconds / static_cast<double>(done_in_them);
    speed = fmt::format("{:.2f}s/sample", each);
    remaining = remaining_text(each * static_cast<double>(total - done));
  }
  return fmt::format("[{}]Kernel: {} | Progress: {}/{}={:.2f}% | Speed: {} | Remaining: {}", time, kernel,
                     done, total, percent, speed, remaining);
}

SamplingLog::SamplingLog(const std::filesystem::path& path, std::string kernel, size_t total, size_t before,
                         const Clock& clock)
    : file_(open_in_new_folder(path)),
      kernel_(std::move(kernel)),
      total_(total),
      before_(before),
      done_(before),
      clock_(clock),
      start_ns_(clock.now_ns()) {}

void SamplingLog::count_sample() {
  ++done_;
  if (done_ % kLineEvery == 0) write();
}

void SamplingLog::finish() {
  if (written_ != done_) write();
}

void SamplingLog::write() {
  const int64_t now = clock_.now_ns();
  const std::string to_seconds = clock_.local_time(now).substr(0, std::string("YYYY-MM-DD HH:MM:SS").size());
  file_.append(sampling_log_line(to_seconds, kernel_, done_, total_,
                                 static_cast<double>(now - start_ns_) * 1e-9, done_ - before_) +
               "\n");
  written_ = done_;
}

}  // namespace kjoule
