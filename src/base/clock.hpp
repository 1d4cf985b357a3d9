#pragma once
#include <cstdint>
#include <string>

namespace kjoule {

/// Steady time in nanoseconds, and the local wall time that belongs to it.
class Clock {
 public:
  virtual ~Clock() = default;
  /// CLOCK_MONOTONIC nanoseconds, or virtual ones.
  virtual int64_t now_ns() const = 0;
  /// Local wall time of a steady reading, "YYYY-MM-DD HH:MM:SS.mmm".
  virtual std::string local_time(int64_t steady_ns) const = 0;
};

/// CLOCK_MONOTONIC; the offset to wall time is taken at construction.
class SteadyClock final : public Clock {
 public:
  SteadyClock();
  int64_t now_ns() const override;
  std::string local_time(int64_t steady_ns) const override;

 private:
  int64_t wall_minus_steady_ns_;
};

/// Moves only when told to. Its wall time starts at 2000-01-01 00:00:00 and has no time zone, so that
/// two runs of the same simulation print the same timestamps.
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
