#include "layers/stored_network.hpp"
#include "tests/fuzz/reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz_file(data, size,
                           [](const std::filesystem::path& file) { kjoule::read_network_result(file); });
}
