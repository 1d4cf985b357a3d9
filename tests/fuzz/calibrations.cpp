#include "power/calibration_file.hpp"
#include "tests/fuzz/reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz_file(data, size, [](const std::filesystem::path& file) {
    for (const kjoule::Calibration& one : kjoule::read_calibrations(file))
      for (const double watts : {0.0, 1.0, 700.0}) kjoule::calibrated_error_text(one, watts);
  });
}
