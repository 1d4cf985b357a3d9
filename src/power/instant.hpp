#pragma once
#include <cstdint>

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

}  // namespace kjoule
