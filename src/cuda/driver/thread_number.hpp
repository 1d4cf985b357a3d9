#pragma once
#include <atomic>
#include <cstdint>

namespace kjoule::cuda {

/// Returns the number of the calling thread. No other thread of the process has or had the same number.
inline uint32_t thread_number() {
  static std::atomic<uint32_t> last = 0;
  thread_local const uint32_t own = ++last;
  return own;
}

}  // namespace kjoule::cuda
