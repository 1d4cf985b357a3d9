#pragma once
#include <cstdint>
#include <vector>

#include "base/numbers/interval.hpp"
#include "power/power_readings.hpp"

namespace kjoule {

/// The phase of a periodic load: how many of its periods had passed at some moments, in order. Between two
/// moments its rate is constant.
struct LoadPhase {
  struct Mark {
    int64_t ns = 0;
    double periods = 0;
  };
  std::vector<Mark> marks;

  /// Returns the mean rate, Hz.
  double mean_hz() const;
  /// Returns the number of periods that had passed at a moment within the marks.
  double periods_at(double ns) const;
};

/// The readings of a power sensor under a periodic load, which is busy in one part of its period only.
struct SweepPoint {
  LoadPhase load;
  std::vector<PowerReading> readings;
};

/// The beat between periodic loads and a sensor that samples the power: the readings swing at the difference
/// of both rates. A load that is far from the sensor's rate swings so fast that its readings average over
/// the beat.
struct SamplingBeat {
  /// The sampling rate, Hz, with its 95 % interval from the scatter of the rates that the points give one by
  /// one; infinite for less than two points.
  Interval sensor_hz;
  double amplitude_w = 0;  ///< amplitude of the beat, W: the median over the points
  double mean_w = 0;       ///< mean power of the readings
  double explained = 0;    ///< share of the readings' variance that the beats explain
};

/// Returns the sampling rate from `low_hz` to `high_hz`, in steps of `step_hz`, whose beats explain the
/// readings of all points best. Each point has a mean and a beat with an amplitude and phase of its own, and
/// the amplitudes follow one normal distribution. (Without that, a rate at which all beats nearly vanish
/// would explain any readings with enormous amplitudes.) The rate and the distribution have the highest
/// likelihood; for one rate and distribution this is linear least squares.
double find_sensor_hz(const std::vector<SweepPoint>& points, double low_hz, double high_hz, double step_hz);

/// Measures the beat with a sensor whose rate is within `near_hz` of `about_hz`, by least squares. All loads
/// must be farther from that rate.
SamplingBeat measure_beat(const std::vector<SweepPoint>& points, double about_hz, double near_hz);

}  // namespace kjoule
