#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kjoule {

/// Decides after which time without a reply replayed work must be stuck. The limit follows from the longest
/// time that replayed work took before, because the iteration is replayed several times before anything is
/// timed.
class ReplayPatience {
 public:
  using Duration = std::chrono::nanoseconds;

  /// Returns the longest time that the reply to an operation may take. Returns nothing for operations that
  /// wait for the program, because its iteration may begin at any time.
  std::optional<Duration> limit(const std::string& operation) const {
    if (std::ranges::find(kAboutReplays, operation) == kAboutReplays.end()) return {};
    return kLeast + kFactor * longest_;
  }
  /// Registers the time that the reply to an operation took.
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
