#include "tests/fuzz/power_log_reading.hpp"

/// Reads a log first by its own header, then by the numbers of its columns, and as one of joined dates and
/// added powers without units. A log that was read can be merged with itself.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const kjoule::ColumnNames numbers{.time = "1", .powers = {"2"}};
  const kjoule::ColumnNames sums{.time = "1+2", .powers = {"3+4"}, .unit_w = 1e-3};
  const kjoule::ColumnNames elapsed{.device = "none", .log_start_ns = 1};
  for (const kjoule::ColumnNames& names : {kjoule::ColumnNames(), numbers, sums, elapsed})
    kjoule::fuzz(data, size, [&](const kjoule::PaddedText& text) { kjoule::read_log(text.view(), names); });
  return kjoule::fuzz_file(data, size, [](const std::filesystem::path& file) {
    const kjoule::PowerLog log = kjoule::read_power_log(file);
    kjoule::merged_logs({log, log});
  });
}
