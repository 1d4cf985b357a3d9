#pragma once
#include <cstdint>

namespace kjoule {

constexpr int64_t kNsPerSecond = 1'000'000'000;

/// One moment on both clocks. Measurements use the steady clock, logs the wall clock.
struct Instant {
  int64_t steady_ns = 0;  ///< CLOCK_MONOTONIC
  int64_t unix_ns = 0;    ///< ns since 1970, UTC
};

/// Returns the present moment.
Instant instant_now();
/// Returns the moment of a wall-clock time that another program on this machine recorded. If the wall clock
/// was set since then, `steady_ns` is wrong by the amount by which it was set.
Instant instant_of_unix(int64_t unix_ns);

}  // namespace kjoule
