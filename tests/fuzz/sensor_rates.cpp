#include "power/sensor_rate.hpp"
#include "tests/fuzz/reading.hpp"

/// Also stores a rate in the file, which is replaced then.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz_named_file(data, size, "sensor_rates.json", [](const std::filesystem::path& file) {
    kjoule::find_sensor_rate(kjoule::read_sensor_rates(file), "NVIDIA H200", "GPU-1");
    kjoule::prepare_sensor_rates(file);
    kjoule::store_sensor_rate(file, {"NVIDIA H200", "GPU-1", "its beat", {}, "no beat"});
  });
}
