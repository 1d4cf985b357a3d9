#include "base/process/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>

#include "base/process/terminal.hpp"
#include "base/text/printable.hpp"

namespace kjoule {

namespace {

constexpr double kRedrawEvery_s = 0.1;  // long enough that drawing does not disturb the measurement
constexpr double kLineEvery_s = 10;
constexpr double kMinShareForEstimate = 0.02;
constexpr size_t kBarWidth = 24;

/// The state of the current stage (title, start, completed share), which bar and lines have in common.
class StagedProgress : public Progress {
 public:
  explicit StagedProgress(const Clock& clock) : clock_(clock) {}

  void stage(const std::string& title) final {
    finish();
    title_ = printable(title);
    start_ns_ = now_ns_ = clock_.now_ns();
    share_ = 0;
    under_way_ = true;
    begin();
  }

  void update(double done) final {
    if (!under_way_ || !std::isfinite(done)) return;
    share_ = std::clamp(done, 0.0, 1.0);
    now_ns_ = clock_.now_ns();
    if (is_due(interval_s())) show();
  }

  void finish() final {
    if (!under_way_) return;
    under_way_ = false;
    end();
  }

 protected:
  virtual void begin() = 0;
  virtual void show() = 0;
  virtual void end() = 0;
  virtual double interval_s() const = 0;

  /// Returns whether at least `seconds` have passed since the last shown(), or whether it was never called.
  bool is_due(double seconds) const { return !shown_ns_ || elapsed_s(*shown_ns_) >= seconds; }
  void shown() { shown_ns_ = now_ns_; }
  const std::string& title() const { return title_; }
  double share() const { return share_; }
  /// Returns "40 %, 12 s left", or only "1 %" while the completed share is too small for an estimate.
  std::string state() const {
    std::string percent = fmt::format("{:.0f} %", std::floor(share_ * 100));
    if (share_ < kMinShareForEstimate) return percent;
    const double elapsed = elapsed_s(start_ns_);
    return fmt::format("{}, {} left", percent, duration_text(elapsed * (1 - share_) / share_));
  }

 private:
  double elapsed_s(int64_t since_ns) const { return static_cast<double>(now_ns_ - since_ns) * 1e-9; }

  const Clock& clock_;
  std::string title_;
  int64_t start_ns_ = 0;
  int64_t now_ns_ = 0;               ///< time of the last stage() or update()
  std::optional<int64_t> shown_ns_;  ///< time of the last shown()
  double share_ = 0;
  bool under_way_ = false;
};

class Bar final : public StagedProgress {
 public:
  Bar(std::function<void(std::string_view)> show, const Clock& clock, size_t columns)
      : StagedProgress(clock), show_(std::move(show)), columns_(columns) {}
  ~Bar() override { finish(); }

 private:
  void begin() override { show(); }
  void show() override {
    const auto filled = static_cast<size_t>(share() * kBarWidth);
    std::string line = title();
    // Work whose completed share is not known has no bar.
    if (share() > 0)
      line +=
          fmt::format(" [{}{}] {}", std::string(filled, '#'), std::string(kBarWidth - filled, '.'), state());
    // The line is cut, because a line that wraps could not be removed.
    if (line.size() >= columns_) line.resize(columns_ > 0 ? columns_ - 1 : 0);
    show_(line);
    shown();
  }
  void end() override { show_(""); }
  double interval_s() const override { return kRedrawEvery_s; }

  std::function<void(std::string_view)> show_;
  size_t columns_;
};

class Lines final : public StagedProgress {
 public:
  Lines(std::ostream& out, const Clock& clock) : StagedProgress(clock), out_(out) {}

 private:
  void begin() override {
    if (is_due(kLineEvery_s)) write(title());
  }
  void show() override { write(title() + ": " + state()); }
  void write(const std::string& line) {
    out_ << line << "\n" << std::flush;
    shown();
  }
  void end() override {}
  double interval_s() const override { return kLineEvery_s; }

  std::ostream& out_;
};

class Silent final : public Progress {
 public:
  void stage(const std::string&) override {}
  void update(double) override {}
  void finish() override {}
};

size_t terminal_columns() {
  constexpr size_t usual = 80;
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual;
  return size.ws_col;
}

bool draws_bars() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::ceil(std::max(seconds, 0.0)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::unique_ptr<Progress> progress_bar(std::function<void(std::string_view)> show, const Clock& clock,
                                       size_t columns) {
  return std::make_unique<Bar>(std::move(show), clock, columns);
}

std::unique_ptr<Progress> progress_lines(std::ostream& out, const Clock& clock) {
  return std::make_unique<Lines>(out, clock);
}

std::unique_ptr<Progress> make_progress() {
  static const SteadyClock clock;
  if (draws_bars()) return progress_bar(print_status, clock, terminal_columns());
  return progress_lines(std::cerr, clock);
}

std::unique_ptr<Progress> silent_progress() {
  return std::make_unique<Silent>();
}

}  // namespace kjoule
