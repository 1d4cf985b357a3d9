#include "sampling/device_roofs.hpp"

#include "base/files/files.hpp"
#include "tests/fuzz/reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz_file(data, size, [](const std::filesystem::path& file) {
    const kjoule::DeviceRoofs roofs = kjoule::read_device_roofs(kjoule::read_json(file), "t");
    const kjoule::SampledDirection fast{.passes_us = {1e-3}, .flops = 1'000'000'000, .least_bytes = 1 << 30};
    kjoule::find_exceeded_roofs(roofs, "fp16", {.directions = {{"forward", fast}}});
    kjoule::read_device_roofs(kjoule::to_json(roofs), "t");
  });
}
