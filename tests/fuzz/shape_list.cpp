#include "sampling/shape_list.hpp"

#include "tests/fuzz/reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz(data, size, [](const kjoule::PaddedText& text) {
    kjoule::read_shape_list(text.view(), "t", {"mp", "b", "l", "dim"});
  });
}
