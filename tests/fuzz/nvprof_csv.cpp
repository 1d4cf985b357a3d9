#include "importers/nvprof_csv.hpp"

#include "tests/fuzz/reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz(data, size, [](kjoule::PaddedText text) {
    kjoule::CsvTables csv = kjoule::read_csv_tables(text.view(), "t");
    if (csv.origin != kjoule::TableOrigin::nvprof) return;
    const kjoule::ImportChoice choice;
    kjoule::TableRows rows(choice, "t");
    kjoule::read_nvprof_csv(std::move(csv), "t", rows);
    rows.finish();
  });
}
