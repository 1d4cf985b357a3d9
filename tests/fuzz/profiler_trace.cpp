#include "importers/profiler_table.hpp"
#include "tests/fuzz/reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz(data, size, [](kjoule::PaddedText text) {
    const kjoule::ImportChoice choice = kjoule::choice_for(text.view());
    constexpr kjoule::ReadingThreads kShortParts{2, 4000};
    kjoule::planned(kjoule::make_profiler_table(
        kjoule::read_profiler_trace(std::move(text), "t", kjoule::kWriteTraceAgain, kShortParts), choice,
        "t"));
  });
}
