#include "layers/baseline_layers.hpp"
#include "tests/fuzz/reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz_file(data, size,
                           [](const std::filesystem::path& file) { kjoule::read_baseline_layers(file); });
}
