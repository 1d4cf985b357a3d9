#include "power/logs/power_log_reader.hpp"

#include "tests/fuzz/reading.hpp"

namespace kjoule {

namespace {

/// Reads a log, first by its own header, then by the numbers of its columns. Every reading must be a power.
void read_log(std::string_view text, const ColumnNames& names) {
  PowerLogReader reader("t", names);
  for (size_t from = 0; from < text.size();) {
    const size_t end = text.find('\n', from);
    const bool ended = end != std::string_view::npos;
    reader.take(text.substr(from, ended ? end - from : std::string_view::npos), ended);
    from = ended ? end + 1 : text.size();
  }
  for (const PowerSeries& series : reader.finish().series)
    for (const PowerSeries::Sample& sample : series.samples)
      if (!(sample.watts > 0)) __builtin_trap();
}

}  // namespace

}  // namespace kjoule

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const kjoule::ColumnNames& names : {kjoule::ColumnNames(), kjoule::ColumnNames{"1", {"2"}}})
    kjoule::fuzz(data, size, [&](const kjoule::PaddedText& text) { kjoule::read_log(text.view(), names); });
  return 0;
}
