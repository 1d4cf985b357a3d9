#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/interval.hpp"

namespace kjoule {

/// The power of one load level in W, as read by the sensor and by the reference meter. The intervals contain
/// the sampling errors.
struct LoadLevel {
  std::string name;
  Interval sensor_w, reference_w;
};

/// The straight line from the power of a reference to the readings of a sensor:
/// reading = at_center_w + gain x (power - center_w).
struct SensorLine {
  Interval gain;
  double center_w = 0;   ///< weighted mean of the levels' powers, as the reference reads them, W
  Interval at_center_w;  ///< the sensor's reading at center_w, W; its error is independent of the gain's
  /// Returns the sensor's reading at 0 W.
  Interval offset_w() const;
};

/// Fits the line to at least three levels. Both meters have errors. The intervals are widened if the levels
/// scatter more than their own intervals allow. Throws Error if the levels do not determine a gain.
SensorLine fit_line(const std::vector<LoadLevel>& levels);

/// The relation between the readings of a power sensor and those of a reference meter.
struct Calibration {
  std::string source;   ///< kind of the sensor (MeterFacts::source)
  std::string device;   ///< "NVIDIA H200", or the file of a log
  std::string id;       ///< identifies the sensor within its source: for a GPU its UUID
  std::string against;  ///< the reference meter
  std::string made;     ///< local time of the calibration
  int64_t levels = 0;   ///< number of load levels
  Interval gain;        ///< change of the sensor's reading per change of the reference's reading
  /// The sensor's reading at 0 W. Absent if the reference also measures other parts of the machine: their
  /// power cannot be distinguished from an offset.
  std::optional<Interval> offset_w{};
  double center_w = 0;  ///< as in SensorLine
  Interval at_center_w;
  /// Systematic error of the reference, as a share of its readings; absent if unknown.
  std::optional<double> reference_accuracy{};
  /// The share of the reference's power that reaches the sensor's device, as stated by the user; absent if
  /// not stated.
  std::optional<double> efficiency{};

  /// Returns the relative error of a reading of `read_w` W: positive if the sensor reads too much, negative
  /// if too little. The interval contains the accuracy of the reference. It is infinite if `read_w` is not
  /// above the sensor's offset.
  Interval error_at(double read_w) const;
};

template <class Fields>
void describe(Fields& fields, Calibration& calibration) {
  fields("source", calibration.source);
  fields("device", calibration.device);
  fields("id", calibration.id);
  fields("against", calibration.against);
  fields("made", calibration.made);
  fields("levels", calibration.levels);
  fields("gain", calibration.gain);
  fields("offset_w", calibration.offset_w);
  fields("center_w", calibration.center_w);
  fields("at_center_w", calibration.at_center_w);
  fields("reference_accuracy", calibration.reference_accuracy);
  fields("efficiency", calibration.efficiency);
}

/// Returns a sentence without a full stop that states the systematic error of a sensor reading of `read_w` W
/// and the calibration from which it follows.
std::string calibrated_error_text(const Calibration& calibration, double read_w);

}  // namespace kjoule
