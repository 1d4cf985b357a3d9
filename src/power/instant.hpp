#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kjoule {

constexpr int64_t kNsPerSecond = 1'000'000'000;

/// One moment on both clocks: what is measured runs on the steady one, logs on the wall's.
struct Instant {
  int64_t steady_ns = 0;  ///< CLOCK_MONOTONIC
  int64_t unix_ns = 0;    ///< since 1970, UTC
};

Instant instant_now();
/// The moment of a wall time that something else took on this machine. A clock that was set since then
/// shifts it.
Instant instant_of_unix(int64_t unix_ns);

/// Local time, "YYYY-MM-DD HH:MM:SS", with ".mmm" when asked for.
std::string local_time_text(int64_t unix_ns, bool milliseconds);
/// Nanoseconds since 1970 of "YYYY-MM-DD HH:MM:SS[.fff]" in local time (also with / or T), or of a number of
/// seconds, milliseconds, microseconds or nanoseconds since 1970 (its size tells which). Nothing when it is
/// neither.
std::optional<int64_t> parse_time(std::string_view text);

}  // namespace kjoule
