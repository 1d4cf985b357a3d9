#include "importers/profiler_averages.hpp"

#include "tests/fuzz/reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz(data, size, [](kjoule::PaddedText text) {
    kjoule::read_profiler_averages(text, kjoule::choice_for(text.view()), "t");
  });
}
