#include "importers/kernel_csv.hpp"
#include "tests/fuzz/reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz(data, size, [](kjoule::PaddedText text) {
    kjoule::read_kernel_csv(text, kjoule::choice_for(text.view()), "t");
  });
}
