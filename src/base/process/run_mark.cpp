#include "base/process/run_mark.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <random>

namespace kjoule {

const std::string& run_mark() {
  static const std::string mark = [] {
    std::random_device random;
    const uint64_t high = random(), low = random();
    return fmt::format("{:016x}", high << 32 | low);
  }();
  return mark;
}

}  // namespace kjoule
