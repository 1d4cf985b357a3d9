#pragma once
#include <cstdint>
#include <vector>

#include "base/numbers/interval.hpp"
#include "power/power_readings.hpp"

namespace kjoule {

/// The phase of a periodic load: the number of periods that had passed at some times. Between two such times,
/// the rate of the load is constant.
struct LoadPhase {
  struct Mark {
    int64_t ns = 0;      ///< time
    double periods = 0;  ///< number of periods that had passed at this time
  };
  std::vector<Mark> marks;  ///< in order of time

  /// Returns the mean rate of the load, Hz.
  double mean_hz() const;
  /// Returns the number of periods that had passed at a time between the first and the last mark.
  double periods_at(double ns) const;
};

/// The readings of a power sensor under a periodic load, which is busy only in one part of its period.
struct SweepPoint {
  LoadPhase load;
  std::vector<PowerReading> readings;
};

/// The beat between periodic loads and a sensor that samples the power. The readings of the sensor oscillate
/// at the difference between the rate of the load and the sampling rate. If this difference is large, each
/// reading averages over the oscillation.
struct SamplingBeat {
  /// The sampling rate, Hz, with its 95 % interval. The half-width comes from the scatter of the rates that
  /// single points give; it is infinite for fewer than two points.
  Interval sensor_hz;
  double amplitude_w = 0;  ///< amplitude of the beat, W: the median over the points
  double mean_w = 0;       ///< mean power of the readings
  double explained = 0;    ///< share of the readings' variance that the beats explain
};

/// Returns the sampling rate, Hz, whose beats explain the readings of all points best, by maximum likelihood.
/// The rates from `low_hz` to `high_hz` in steps of `step_hz` are tried. Each point has its own mean, and its
/// own amplitude and phase of the beat. The amplitudes are assumed to follow one normal distribution, which
/// is fitted together with the rate. (Without this assumption, a rate at which all beats nearly vanish would
/// explain any readings with enormous amplitudes.) For a given rate and distribution, the fit is linear least
/// squares.
double find_sensor_hz(const std::vector<SweepPoint>& points, double low_hz, double high_hz, double step_hz);

/// Returns the beat of a sensor whose sampling rate differs from `about_hz` by at most `near_hz`, by least
/// squares. The rate of each load must differ from `about_hz` by more than `near_hz`.
SamplingBeat measure_beat(const std::vector<SweepPoint>& points, double about_hz, double near_hz);

}  // namespace kjoule
