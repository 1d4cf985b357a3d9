#include "power/instant.hpp"

#include <ctime>

namespace kjoule {

namespace {

int64_t nanoseconds(clockid_t clock) {
  std::timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

}  // namespace

// The wall clock is read between two readings of the steady clock and assigned to the middle between them.
Instant instant_now() {
  const int64_t before = nanoseconds(CLOCK_MONOTONIC);
  const int64_t wall = nanoseconds(CLOCK_REALTIME);
  const int64_t after = nanoseconds(CLOCK_MONOTONIC);
  return {.steady_ns = before + (after - before) / 2, .unix_ns = wall};
}

Instant instant_of_unix(int64_t unix_ns) {
  const Instant now = instant_now();
  return {.steady_ns = now.steady_ns - (now.unix_ns - unix_ns), .unix_ns = unix_ns};
}

}  // namespace kjoule
