#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

// GCC's static standard library calls this function of glibc 2.36 in std::random_device, which the injected
// library does not use. This definition, which the program does not see, replaces it, so that the library can
// be loaded on systems with glibc 2.35.
extern "C" uint32_t arc4random() noexcept {
  uint32_t number = 0;
  if (getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) std::abort();
  return number;
}
