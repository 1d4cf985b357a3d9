#include "measure/meters/filler_mix.hpp"

#include <limits>

#include "measure/meters/aliasing.hpp"
#include "measure/meters/repeat_count.hpp"

namespace kjoule {

namespace {

/// Duration of the work in a mix: that of a large kernel. With two to three times as much filler, the mean
/// power of work that consumes 1 kW is below the power limit of any board.
constexpr double kStretch_s = 5e-4;
constexpr double kLeastShare = 2, kMostShare = 3;
/// Largest numbers of copies of work and filler, so that graphs are small and many fit in memory.
constexpr int kMostWorks = 100, kMostFillers = 1000;

}  // namespace

FillerMix filler_mix(double work_s, double filler_s, std::optional<Interval> sensor_hz, double span_s) {
  FillerMix mix{.copies = repeats_to_fill(kStretch_s, work_s, kMostWorks)};
  const double stretch_s = work_s * mix.copies;
  const int least = repeats_to_fill(kLeastShare * stretch_s, filler_s, kMostFillers);
  const int most = sensor_hz ? repeats_to_fill(kMostShare * stretch_s, filler_s, kMostFillers) : least;
  double least_error = std::numeric_limits<double>::infinity();
  for (int times = least; times <= most; ++times) {
    const double error = sensor_hz ? aliasing_error(stretch_s + times * filler_s, *sensor_hz, span_s) : 0;
    if (error >= least_error) continue;
    least_error = error;
    mix.times = times;
  }
  return mix;
}

}  // namespace kjoule
