#include "importers/imported_file.hpp"
#include "tests/fuzz/reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz(data, size, [](kjoule::PaddedText text) {
    kjoule::imported_table_text(kjoule::planned(kjoule::read_imported_table(text, "t")));
  });
}
