#include "importers/nsys_database.hpp"
#include "tests/fuzz/reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint64_t kMostBytes = 1 << 20;
  return kjoule::fuzz_file(data, size, [](const std::filesystem::path& file) {
    kjoule::read_nsys_database(file, {}, kMostBytes);
  });
}
