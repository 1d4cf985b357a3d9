#pragma once
#include <cstdint>
#include <ctime>

namespace kjoule::cuda {

/// Returns the time of the host's steady clock in ns.
inline int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
}

}  // namespace kjoule::cuda
