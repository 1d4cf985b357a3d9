#include "power/sensor_rate.hpp"

#include <fstream>

#include "base/process/temporary_folder.hpp"
#include "tests/fuzz/reading.hpp"

// Rates are also stored in the file, which is replaced then, so it has a name (unlike that of fuzz_file()).
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const kjoule::TemporaryFolder folder;
  const std::filesystem::path file = folder / "sensor_rates.json";
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<long>(size));
  return kjoule::fuzz(data, size, [&](const kjoule::PaddedText&) {
    kjoule::find_sensor_rate(kjoule::read_sensor_rates(file), "NVIDIA H200", "GPU-1");
    kjoule::prepare_sensor_rates(file);
    kjoule::store_sensor_rate(file, {"NVIDIA H200", "GPU-1", "its beat", {}, "no beat"});
  });
}
