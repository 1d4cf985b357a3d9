#include "layers/expected_cost.hpp"
#include "layers/network_file.hpp"
#include "tests/fuzz/reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz(data, size, [](kjoule::PaddedText text) {
    const std::string yaml(text.view());
    kjoule::read_network_sizes(yaml, "t");
    kjoule::least_memory_bytes(kjoule::read_network(yaml, "t", {}, "float16"));
    kjoule::read_network(yaml, "t", {{"batch", 3}}, "");
  });
}
