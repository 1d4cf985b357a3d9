#include "power/calibration_file.hpp"
#include "tests/fuzz/reading.hpp"

/// Also stores a calibration in the file, which is replaced then.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz_named_file(data, size, "calibrations.json", [](const std::filesystem::path& file) {
    const std::vector<kjoule::Calibration> all = kjoule::read_calibrations(file);
    for (const kjoule::Calibration& one : all)
      for (const double watts : {0.0, 1.0, 700.0}) kjoule::calibrated_error_text(one, watts);
    kjoule::find_calibration(all, "nvml", "NVIDIA H200", "GPU-1");
    kjoule::prepare_calibrations(file);
    if (!all.empty()) kjoule::store_calibration(file, all.front());
  });
}
