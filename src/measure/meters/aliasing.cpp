#include "measure/meters/aliasing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kjoule {

namespace {

/// Highest multiple of the sampling rate that is considered. At higher rates, power changes little.
constexpr int kMostLooks = 3;
/// Longest pause that is tried, and step between pauses, as shares of the period.
constexpr double kLongest = 0.06, kStep = 0.0025;
/// Error that a pause counts as, divided by the pause (both as shares of the period): the energy of a pause
/// is not known exactly.
constexpr double kErrorForPause = 0.1;

/// Returns the distance of a frequency from an interval, Hz; 0 within it.
double apart_hz(double hz, const Interval& interval_hz) {
  return std::max(0.0, std::abs(hz - interval_hz.value) - interval_hz.half_width);
}

/// Returns the largest share of an oscillation with the frequency `hz` that remains in a mean over `span_s`
/// seconds.
double kept(double hz, double span_s) {
  return 1 / std::max(1.0, std::numbers::pi * hz * span_s);
}

}  // namespace

double aliasing_error(double period_s, const Interval& sensor_hz, double span_s) {
  double squares = 0;
  for (int n = 1; n <= kMostLooks; ++n) {
    const Interval multiple_hz{n * sensor_hz.value, n * sensor_hz.half_width};
    const double harmonic = std::floor(multiple_hz.value * period_s);
    for (const double h : {harmonic, harmonic + 1}) {
      if (h < 1) continue;
      const double amplitude = 2 / (std::numbers::pi * h);
      const double seen = amplitude * kept(apart_hz(h / period_s, multiple_hz), span_s);
      squares += seen * seen / 2;
    }
  }
  return std::sqrt(squares);
}

double pause_against_aliasing(double period_s, const Interval& sensor_hz, double span_s) {
  double best = 0, least = aliasing_error(period_s, sensor_hz, span_s);
  for (double share = kStep; share <= kLongest; share += kStep) {
    const double error = aliasing_error(period_s * (1 + share), sensor_hz, span_s) + kErrorForPause * share;
    if (error < least) {
      least = error;
      best = share;
    }
  }
  return best * period_s;
}

}  // namespace kjoule
