#include "device/sample_row.hpp"

#include "tests/fuzz/reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz_file(data, size, [](const std::filesystem::path& file) {
    const kjoule::SampledRun run =
        kjoule::read_sample_rows(file, {"mp", "b", "l", "dim"}, [](const kjoule::SampleRow& row) {
          to_csv(row);
          to_json(row, {"mp", "b", "l", "dim"});
        });
    kjoule::difference(run.definition, {{"operator", "gelu"}, {"active", 10}});
  });
}
