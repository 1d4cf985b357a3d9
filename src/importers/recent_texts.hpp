#pragma once
#include <xxhash.h>

#include <array>
#include <string_view>

namespace kjoule {

/// Replaces texts by equal texts that occurred recently. A trace repeats its names and inputs with each
/// launch; if all launches refer to the first occurrence, later comparisons stay within the processor's
/// cache.
class RecentTexts {
 public:
  /// Returns a recent text that equals `text`; without one, remembers `text` and returns it.
  std::string_view find(std::string_view text) {
    std::string_view& recent = recent_[XXH3_64bits(text.data(), text.size()) % kMost];
    if (recent != text) recent = text;
    return recent;
  }

 private:
  static constexpr size_t kMost = 4096;

  std::array<std::string_view, kMost> recent_;
};

}  // namespace kjoule
