#include "base/clock.hpp"

#include <fmt/format.h>

#include <chrono>
#include <ctime>

namespace kjoule {

namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr int64_t kNsPerMs = 1'000'000;
/// 2000-01-01 00:00:00 UTC in seconds since 1970.
constexpr int64_t kVirtualStart = 946'684'800;

int64_t wall_ns() {
  using std::chrono::nanoseconds;
  return std::chrono::duration_cast<nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string with_milliseconds(int64_t wall, std::tm* (*split)(const std::time_t*, std::tm*)) {
  int64_t seconds = wall / kNsPerSecond;
  int64_t rest = wall % kNsPerSecond;
  if (rest < 0) {
    rest += kNsPerSecond;
    --seconds;
  }
  const auto since_1970 = static_cast<std::time_t>(seconds);
  std::tm parts{};
  split(&since_1970, &parts);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, rest / kNsPerMs);
}

}  // namespace

// The wall clock is read between two readings of the steady clock and assigned to the middle between them.
SteadyClock::SteadyClock() : wall_minus_steady_ns_(0) {
  const int64_t before = now_ns();
  const int64_t wall = wall_ns();
  const int64_t after = now_ns();
  wall_minus_steady_ns_ = wall - (before + (after - before) / 2);
}

int64_t SteadyClock::now_ns() const {
  std::timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

std::string SteadyClock::local_time(int64_t steady_ns) const {
  return with_milliseconds(steady_ns + wall_minus_steady_ns_, localtime_r);
}

std::string VirtualClock::local_time(int64_t steady_ns) const {
  return with_milliseconds(steady_ns + kVirtualStart * kNsPerSecond, gmtime_r);
}

}  // namespace kjoule
