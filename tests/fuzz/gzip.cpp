#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "base/error.hpp"
#include "base/files/padded_text.hpp"

/// The unpacker reads files: this one is in memory only.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int fd = memfd_create("packed", 0);
  if (fd < 0 || write(fd, data, size) != static_cast<ssize_t>(size)) return -1;
  constexpr uint64_t kMost = 1 << 20;
  try {
    kjoule::PaddedText::of_file("/proc/self/fd/" + std::to_string(fd), kMost);
  } catch (const kjoule::Error&) {
  }
  close(fd);
  return 0;
}
