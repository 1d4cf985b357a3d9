#pragma once
#include <algorithm>
#include <chrono>
#include <limits>

namespace kjoule {

/// Returns the argument of poll() for a time, which is 0 if the time is negative.
inline int poll_limit(std::chrono::steady_clock::duration time) {
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(time).count();
  return static_cast<int>(std::clamp<int64_t>(ms, 0, std::numeric_limits<int>::max()));
}
/// The same for the time until a deadline.
inline int poll_limit(std::chrono::steady_clock::time_point deadline) {
  return poll_limit(deadline - std::chrono::steady_clock::now());
}

}  // namespace kjoule
