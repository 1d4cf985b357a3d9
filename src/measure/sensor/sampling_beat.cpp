#include "measure/sensor/sampling_beat.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "base/numbers/statistics.hpp"

namespace kjoule {

namespace {

using Wave = std::complex<double>;

constexpr double kTurn = 2 * std::numbers::pi;
/// Step of time at which a beat is evaluated within a reading. It is short compared with the period of the
/// fastest beat.
constexpr double kStep_s = 1e-3;
/// Variances of a beat's two components that are tried, as multiples of the variance of a reading's noise.
constexpr double kVariances[] = {1e1, 1e2, 1e3, 1e4, 1e5};
/// Variance that leaves the amplitude of a beat free.
constexpr double kFreeVariance = 1e6;
constexpr double kFineStep_hz = 0.01;

Wave turned(double turns) {
  return std::polar(1.0, kTurn * (turns - std::floor(turns)));
}

/// One reading, with the phase of the load at equidistant times within it.
struct PhasedReading {
  double watts = 0;  ///< power minus the mean power of the point's readings
  double first_s = 0, step_s = 0;
  std::vector<Wave> load{};

  /// Returns the mean over the reading of a beat with unit amplitude, for a sensor with this sampling rate.
  Wave mean_beat(double sensor_hz) const {
    Wave sample = turned(-sensor_hz * first_s), sum = 0;
    const Wave step = turned(-sensor_hz * step_s);
    for (const Wave& wave : load) {
      sum += wave * sample;
      sample *= step;
    }
    return sum / static_cast<double>(load.size());
  }
};

/// Sums of products of a point's readings y and the cosine and sine components c and s of its beat, all
/// without mean.
struct BeatSums {
  double yy = 0, yc = 0, ys = 0, cc = 0, cs = 0, ss = 0;

  double determinant(double variance) const { return (cc + 1 / variance) * (ss + 1 / variance) - cs * cs; }
  /// Returns the part of the sum of squares of the readings that the beat does not explain.
  double unexplained(double variance) const {
    const double c = cc + 1 / variance, s = ss + 1 / variance;
    return yy - (yc * yc * s - 2 * yc * ys * cs + ys * ys * c) / determinant(variance);
  }
  double amplitude(double variance) const {
    const double c = cc + 1 / variance, s = ss + 1 / variance;
    return std::hypot(yc * s - ys * cs, ys * c - yc * cs) / determinant(variance);
  }
};

/// The readings of one point, prepared for computations with many sampling rates.
class PhasedPoint {
 public:
  explicit PhasedPoint(const SweepPoint& point) {
    const auto begin_ns = static_cast<double>(point.load.marks.front().ns);
    for (const PowerReading& reading : point.readings) mean_w_ += reading.watts;
    mean_w_ /= static_cast<double>(point.readings.size());
    for (const PowerReading& reading : point.readings) {
      PhasedReading phased{.watts = reading.watts - mean_w_};
      const double span_s = static_cast<double>(reading.end_ns - reading.begin_ns) * 1e-9;
      const double steps = std::ceil(span_s / kStep_s);
      phased.step_s = span_s / steps;
      phased.first_s = (static_cast<double>(reading.begin_ns) - begin_ns) * 1e-9 + phased.step_s / 2;
      for (double step = 0; step < steps; ++step)
        phased.load.push_back(
            turned(point.load.periods_at(begin_ns + (phased.first_s + step * phased.step_s) * 1e9)));
      readings_.push_back(std::move(phased));
    }
  }

  double mean_w() const { return mean_w_; }
  /// Returns the degrees of freedom of the readings around their mean.
  double freedom() const { return static_cast<double>(readings_.size()) - 1; }

  BeatSums sums(double sensor_hz) const {
    std::vector<Wave> beats;
    Wave mean = 0;
    for (const PhasedReading& reading : readings_) {
      beats.push_back(reading.mean_beat(sensor_hz));
      mean += beats.back() / static_cast<double>(readings_.size());
    }
    BeatSums sums;
    for (size_t r = 0; r < readings_.size(); ++r) {
      const double y = readings_[r].watts, c = beats[r].real() - mean.real(),
                   s = beats[r].imag() - mean.imag();
      sums.yy += y * y, sums.yc += y * c, sums.ys += y * s;
      sums.cc += c * c, sums.cs += c * s, sums.ss += s * s;
    }
    return sums;
  }

 private:
  double mean_w_ = 0;
  std::vector<PhasedReading> readings_;
};

std::vector<PhasedPoint> phased(const std::vector<SweepPoint>& points) {
  std::vector<PhasedPoint> result;
  for (const SweepPoint& point : points)
    if (point.readings.size() > 1) result.emplace_back(point);
  return result;
}

/// Returns the logarithm of the likelihood, up to a constant, for the noise with which it is largest.
double log_likelihood(const std::vector<BeatSums>& all, double freedom, double variance) {
  double squares = 0, logs = 0;
  for (const BeatSums& sums : all) {
    squares += sums.unexplained(variance);
    logs += std::log(variance * variance * sums.determinant(variance));
  }
  return -(freedom * std::log(squares) + logs) / 2;
}

/// Returns the sampling rate near `about_hz` that explains the point's readings best.
double nearest_rate_hz(const PhasedPoint& point, double about_hz, double near_hz) {
  double best_hz = about_hz, least = std::numeric_limits<double>::infinity();
  for (double hz = about_hz - near_hz; hz <= about_hz + near_hz; hz += kFineStep_hz) {
    const double left = point.sums(hz).unexplained(kFreeVariance);
    if (left >= least) continue;
    least = left;
    best_hz = hz;
  }
  return best_hz;
}

}  // namespace

double LoadPhase::mean_hz() const {
  return (marks.back().periods - marks.front().periods) /
         (static_cast<double>(marks.back().ns - marks.front().ns) * 1e-9);
}

double LoadPhase::periods_at(double ns) const {
  const auto after = std::partition_point(marks.begin() + 1, marks.end() - 1, [ns](const Mark& mark) {
    return static_cast<double>(mark.ns) <= ns;
  });
  const Mark &from = *(after - 1), &to = *after;
  return from.periods + (to.periods - from.periods) * (ns - static_cast<double>(from.ns)) /
                            static_cast<double>(to.ns - from.ns);
}

double find_sensor_hz(const std::vector<SweepPoint>& points, double low_hz, double high_hz, double step_hz) {
  const std::vector<PhasedPoint> all = phased(points);
  double freedom = 0;
  for (const PhasedPoint& point : all) freedom += point.freedom();
  if (freedom <= 0) return low_hz;
  double best_hz = low_hz, best = -std::numeric_limits<double>::infinity();
  for (double hz = low_hz; hz <= high_hz; hz += step_hz) {
    std::vector<BeatSums> sums;
    for (const PhasedPoint& point : all) sums.push_back(point.sums(hz));
    for (const double variance : kVariances) {
      const double likelihood = log_likelihood(sums, freedom, variance);
      if (likelihood <= best) continue;
      best = likelihood;
      best_hz = hz;
    }
  }
  return best_hz;
}

SamplingBeat measure_beat(const std::vector<SweepPoint>& points, double about_hz, double near_hz) {
  const std::vector<PhasedPoint> all = phased(points);
  std::vector<double> rates, amplitudes, means;
  for (const PhasedPoint& point : all) rates.push_back(nearest_rate_hz(point, about_hz, near_hz));
  if (all.size() < 2) return {{about_hz, std::numeric_limits<double>::infinity()}};
  SamplingBeat beat{mean_interval(rates)};
  double squares = 0, left = 0;
  for (const PhasedPoint& point : all) {
    const BeatSums sums = point.sums(beat.sensor_hz.value);
    amplitudes.push_back(sums.amplitude(kFreeVariance));
    means.push_back(point.mean_w());
    squares += sums.yy;
    left += sums.unexplained(kFreeVariance);
  }
  beat.amplitude_w = median(amplitudes);
  beat.mean_w = mean(means);
  beat.explained = squares > 0 ? 1 - left / squares : 0;
  return beat;
}

}  // namespace kjoule
