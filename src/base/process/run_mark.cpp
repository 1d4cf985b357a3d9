#include "base/process/run_mark.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <cstdint>

#include "base/error.hpp"

namespace kjoule {

// Not by std::random_device: with GCC 12, it would need glibc 2.36 in every program that is measured, which
// loads this code with the injected library.
const std::string& run_mark() {
  static const std::string mark = [] {
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number))
      throw Error("the system returned no random number (getrandom)");
    return fmt::format("{:016x}", number);
  }();
  return mark;
}

}  // namespace kjoule
