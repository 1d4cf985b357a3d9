#pragma once
#include <cstdint>
#include <string>

namespace kjoule {

/// A clock that returns steady time in nanoseconds and converts it to local wall time.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Returns the steady time in nanoseconds.
  virtual int64_t now_ns() const = 0;
  /// Returns the local wall time of a steady time, as "YYYY-MM-DD HH:MM:SS.mmm".
  virtual std::string local_time(int64_t steady_ns) const = 0;
};

/// The system's CLOCK_MONOTONIC. Its offset from the wall clock is measured once, by the constructor.
class SteadyClock final : public Clock {
 public:
  SteadyClock();
  int64_t now_ns() const override;
  std::string local_time(int64_t steady_ns) const override;

 private:
  int64_t wall_minus_steady_ns_;
};

/// A clock that changes only through set_ns() and advance_ns(). Its wall time starts at 2000-01-01 00:00:00
/// and has no time zone, so that two runs of the same simulation print the same timestamps.
class VirtualClock final : public Clock {
 public:
  int64_t now_ns() const override { return now_ns_; }
  std::string local_time(int64_t steady_ns) const override;
  void set_ns(int64_t ns) { now_ns_ = ns; }
  void advance_ns(int64_t ns) { now_ns_ += ns; }

 private:
  int64_t now_ns_ = 0;
};

}  // namespace kjoule
