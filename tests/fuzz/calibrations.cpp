#include "power/calibration_file.hpp"

#include <fstream>

#include "base/process/temporary_folder.hpp"
#include "tests/fuzz/reading.hpp"

// A calibration is also stored in the file, which is replaced then, so it has a name (unlike that of
// fuzz_file()).
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const kjoule::TemporaryFolder folder;
  const std::filesystem::path file = folder / "calibrations.json";
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<long>(size));
  return kjoule::fuzz(data, size, [&](const kjoule::PaddedText&) {
    const std::vector<kjoule::Calibration> all = kjoule::read_calibrations(file);
    for (const kjoule::Calibration& one : all)
      for (const double watts : {0.0, 1.0, 700.0}) kjoule::calibrated_error_text(one, watts);
    kjoule::find_calibration(all, "nvml", "NVIDIA H200", "GPU-1");
    kjoule::prepare_calibrations(file);
    if (!all.empty()) kjoule::store_calibration(file, all.front());
  });
}
