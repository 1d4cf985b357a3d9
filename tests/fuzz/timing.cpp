#include "logged/energy_timing.hpp"
#include "tests/fuzz/reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz_file(data, size, [](const std::filesystem::path& file) {
    const kjoule::Timings timings = kjoule::read_timings({file});
    if (timings.full) kjoule::windows_of(*timings.full);
  });
}
