#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers/interval.hpp"

namespace kjoule {

/// One level of load, as a sensor and a reference meter read it. The intervals contain the errors of
/// sampling.
struct LoadLevel {
  std::string name;
  Interval sensor_w, reference_w;
};

/// The straight line from the power of a reference to the readings of a sensor:
/// reading = at_center_w + gain x (power - center_w).
struct SensorLine {
  Interval gain;
  double center_w = 0;   ///< weighted mean power of the levels
  Interval at_center_w;  ///< the reading at center_w; its error is independent of that of the gain
  /// Returns the reading at 0 W.
  Interval offset_w() const;
};

/// Fits the line to at least three levels. Both meters have errors. The intervals are widened if the levels
/// scatter more than their own intervals allow. Throws Error if the levels differ too little for a gain.
SensorLine fit_line(const std::vector<LoadLevel>& levels);

/// How a power sensor reads, compared with a reference meter.
struct Calibration {
  std::string source;   ///< kind of the sensor (MeterFacts::source)
  std::string device;   ///< "NVIDIA H200", or the file of a log
  std::string id;       ///< which sensor of the source: for a GPU its UUID
  std::string against;  ///< the reference meter
  std::string made;     ///< local time
  int64_t levels = 0;   ///< number of load levels
  Interval gain;
  /// The reading at 0 W. Absent if the reference measures other parts of the machine, too: their power
  /// cannot be distinguished from an offset.
  std::optional<Interval> offset_w{};
  double center_w = 0;  ///< as in SensorLine
  Interval at_center_w;
  /// Systematic error of the reference, as a share of its readings; absent if unknown.
  std::optional<double> reference_accuracy{};
  /// The share of the reference's power that reaches the sensor's device, as the user stated it.
  std::optional<double> efficiency{};

  /// Returns by what share the sensor reads too much where it reads `read_w`, W; a negative share is too
  /// little. The interval contains the accuracy of the reference. It is infinite where the sensor reads no
  /// more than its offset.
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

/// Returns the systematic error of a sensor that reads `read_w`, W, as a sentence without a full stop: how
/// much it reads too much or too little, and from which calibration this is known.
std::string calibrated_error_text(const Calibration& calibration, double read_w);

}  // namespace kjoule
