#include "power/calibration_file.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

Calibration calibration_of(const std::string& id, double gain) {
  Calibration made;
  made.source = "nvml";
  made.device = "NVIDIA H200";
  made.id = id;
  made.against = "wattsup pm1";
  made.made = "2026-02-04 10:15:05";
  made.levels = 7;
  made.gain = {gain, 0.002};
  made.reference_accuracy = 0.015;
  return made;
}

TEST(CalibrationFile, KeepsTheLatestCalibrationOfEachSensor) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "kjoule" / "calibrations.json";
  EXPECT_TRUE(read_calibrations(path).empty());
  store_calibration(path, calibration_of("GPU-1", 1.04));
  store_calibration(path, calibration_of("GPU-2", 0.97));
  store_calibration(path, calibration_of("GPU-1", 1.05));
  const auto all = read_calibrations(path);
  EXPECT_EQ(all.size(), 2);
  const auto found = find_calibration(all, "nvml", "NVIDIA H200", "GPU-1");
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->gain.value, 1.05);
  EXPECT_FALSE(found->offset_w) << "it was not determined";
  EXPECT_EQ(found->reference_accuracy, 0.015);
  EXPECT_FALSE(find_calibration(all, "nvml-counter", "NVIDIA H200", "GPU-1")) << "another sensor";
}

TEST(CalibrationFile, RefusesAFileThatItCannotReadAndKeepsIt) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "calibrations.json";
  for (const char* text : {"{}", "[]", R"({"calibrations": [{"source": "nvml"}]})",
                           R"({"calibrations": [{"source": "nvml", "device": "", "id": "", "against": "",
                              "made": "", "levels": 3, "gain": {"value": 0, "half_width": 0},
                              "center_w": 0, "at_center_w": {"value": 0, "half_width": 0}}]})"}) {
    write_atomic(path, text);
    EXPECT_THROW(store_calibration(path, calibration_of("GPU-1", 1)), Error) << text;
    EXPECT_EQ(read_text(path), text);
  }
}

}  // namespace
}  // namespace kjoule
