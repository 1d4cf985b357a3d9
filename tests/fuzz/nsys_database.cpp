#include "importers/nsys_database.hpp"

#include <fstream>

#include "base/process/temporary_folder.hpp"
#include "tests/fuzz/reading.hpp"

// SQLite opens no file that only has a descriptor (fuzz_file()), so the database is a file with a name.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint64_t kMostBytes = 1 << 20;
  static const kjoule::TemporaryFolder folder;
  const std::filesystem::path file = folder / "fed.sqlite";
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<long>(size));
  return kjoule::fuzz(data, size, [&](const kjoule::PaddedText& text) {
    kjoule::read_nsys_database(file, kjoule::choice_for(text.view()), kMostBytes);
  });
}
