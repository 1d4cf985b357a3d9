#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kjoule {

/// Decides when a reply about replayed work is long overdue, because the work never ends. No work takes much
/// longer than all work before it: an iteration is replayed several times before anything is timed.
class ReplayPatience {
 public:
  using Duration = std::chrono::nanoseconds;

  /// Returns how long the reply to the operation may take; nothing if that depends on the program, which may
  /// take any time until its iteration comes.
  std::optional<Duration> limit(const std::string& operation) const {
    if (std::ranges::find(kAboutReplays, operation) == kAboutReplays.end()) return {};
    return kLeast + kFactor * longest_;
  }
  /// Takes note of how long the reply to an operation took.
  void add_answer(const std::string& operation, Duration took) {
    if (operation == "verify" || limit(operation)) longest_ = std::max(longest_, took);
  }

 private:
  static constexpr std::array<std::string_view, 4> kAboutReplays{"enqueue", "wait", "observe", "close"};
  static constexpr Duration kLeast = std::chrono::seconds(30);
  static constexpr int kFactor = 20;
  Duration longest_{};
};

}  // namespace kjoule
