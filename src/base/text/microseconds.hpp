#pragma once
#include <cstdint>

namespace kjoule {

/// Returns nanoseconds as microseconds.
inline double ns_to_us(int64_t ns) {
  return static_cast<double>(ns) / 1000;
}

}  // namespace kjoule
