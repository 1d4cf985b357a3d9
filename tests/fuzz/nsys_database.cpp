#include "importers/nsys_database.hpp"

#include "tests/fuzz/reading.hpp"

// SQLite opens files by their path, and the file of fuzz_file() has only a descriptor.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint64_t kMostBytes = 1 << 20;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  return kjoule::fuzz_named_file(data, size, "fed.sqlite", [&](const std::filesystem::path& file) {
    kjoule::read_nsys_database(file, kjoule::choice_for(text), kMostBytes);
  });
}
