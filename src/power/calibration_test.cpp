#include "power/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/error.hpp"

namespace kjoule {
namespace {

/// A sensor with a known line and a reference meter; the readings of both scatter.
struct SimulatedMeters {
  double gain = 1, offset_w = 0;
  double sensor_w = 0.5, reference_w = 0.5;  ///< half-widths of a level

  std::vector<LoadLevel> read(const std::vector<double>& powers_w, std::mt19937& random) const {
    std::normal_distribution<double> scatter;
    std::vector<LoadLevel> levels;
    for (const double power_w : powers_w)
      levels.push_back({"",
                        {offset_w + gain * power_w + scatter(random) * sensor_w / 1.96, sensor_w},
                        {power_w + scatter(random) * reference_w / 1.96, reference_w}});
    return levels;
  }
};

Calibration calibration_of(const SensorLine& line) {
  Calibration made;
  made.gain = line.gain;
  made.offset_w = line.offset_w();
  made.center_w = line.center_w;
  made.at_center_w = line.at_center_w;
  return made;
}

bool contains(const Interval& interval, double value) {
  return std::abs(interval.value - value) <= interval.half_width;
}

TEST(FitLine, FindsGainsAndOffsetsOfSimulatedMetersWithinItsIntervals) {
  const std::vector<double> powers_w{70, 180, 310, 420, 560, 690};
  std::mt19937 random(1);
  int gains = 0, offsets = 0, errors = 0, tried = 0;
  for (const double gain : {0.94, 1.0, 1.06})
    for (const double offset_w : {-8.0, 0.0, 3.0})
      for (int seed = 0; seed < 100; ++seed, ++tried) {
        const SimulatedMeters meters{gain, offset_w, 0.4, 1.1};
        const SensorLine line = fit_line(meters.read(powers_w, random));
        gains += contains(line.gain, gain) ? 1 : 0;
        offsets += contains(line.offset_w(), offset_w) ? 1 : 0;
        const double read_w = offset_w + gain * 500;
        errors += contains(calibration_of(line).error_at(read_w), read_w / 500 - 1) ? 1 : 0;
        EXPECT_LT(line.gain.half_width, 0.01);
      }
  RecordProperty("calibrations", tried);
  RecordProperty("gains_covered", gains);
  RecordProperty("offsets_covered", offsets);
  RecordProperty("errors_covered", errors);
  for (const int covered : {gains, offsets, errors}) {
    EXPECT_GE(covered, 0.93 * tried);
    EXPECT_LE(covered, 0.995 * tried) << "the intervals are too wide";
  }
}

TEST(FitLine, WidensItsIntervalsForASensorThatIsNotStraight) {
  std::mt19937 random(2);
  std::vector<LoadLevel> levels = SimulatedMeters{1.02, 0, 0.1, 0.1}.read({100, 200, 300, 400, 500}, random);
  const double straight = fit_line(levels).gain.half_width;
  levels[2].sensor_w.value += 5;
  EXPECT_GT(fit_line(levels).gain.half_width, 10 * straight);
}

TEST(FitLine, RefusesLevelsThatDoNotDetermineAGain) {
  std::mt19937 random(3);
  const SimulatedMeters meters;
  EXPECT_THROW(fit_line(meters.read({100, 300}, random)), Error) << "two levels fit any line";
  EXPECT_THROW(fit_line(meters.read({100, 100.5, 101}, random)), Error) << "one level of load";
  std::vector<LoadLevel> levels = meters.read({100, 200, 300}, random);
  for (LoadLevel& level : levels) level.sensor_w.value = 80;
  EXPECT_THROW(fit_line(levels), Error) << "the sensor does not see the load";
  levels = meters.read({100, 200, 300}, random);
  for (LoadLevel& level : levels) level.sensor_w.value = 400 - level.sensor_w.value;
  EXPECT_THROW(fit_line(levels), Error) << "the sensor's power falls when that of the reference rises";
}

TEST(CalibrationError, ContainsTheAccuracyOfTheReference) {
  Calibration calibration;
  calibration.gain = {1.04, 0.003};
  EXPECT_DOUBLE_EQ(calibration.error_at(300).half_width, 0.003);
  calibration.reference_accuracy = 0.015;
  EXPECT_NEAR(calibration.error_at(300).value, 0.04, 1e-12);
  EXPECT_NEAR(calibration.error_at(300).half_width, std::hypot(0.003, 1.04 * 0.015), 1e-12);
}

TEST(CalibrationError, DependsOnThePowerIfThereIsAnOffset) {
  Calibration calibration;
  calibration.gain = {1, 0.001};
  calibration.center_w = 300;
  calibration.at_center_w = {310, 1};
  calibration.offset_w = Interval{10, 1};
  EXPECT_NEAR(calibration.error_at(510).value, 0.02, 1e-9);
  EXPECT_NEAR(calibration.error_at(110).value, 0.1, 1e-9);
  EXPECT_TRUE(std::isinf(calibration.error_at(9).half_width));
  EXPECT_NE(calibrated_error_text(calibration, 110).find("10.00 % +- 1.1 % too much at 110.0 W"),
            std::string::npos)
      << calibrated_error_text(calibration, 110);
}

}  // namespace
}  // namespace kjoule
