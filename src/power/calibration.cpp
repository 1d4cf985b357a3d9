#include "power/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/numbers/statistics.hpp"
#include "base/text/printable.hpp"

namespace kjoule {

namespace {

constexpr size_t kFewestLevels = 3;
/// The largest half-width of an accepted gain, as a share of the gain.
constexpr double kWidestGain = 0.1;
/// Number of fits: the weights of the levels depend on the gain, so each fit uses the gain of the fit before.
constexpr int kIterations = 10;
/// The smallest error of a level, as a share of its reading, so that no level has all the weight.
constexpr double kLeastError = 1e-5;
constexpr double kDeviationsIn95 = 1.96;  ///< the half-width of a 95 % interval in standard deviations

/// Returns the standard deviation, W, of a level's distance from a line with this gain.
double deviation_w(const LoadLevel& level, double gain) {
  const double width = std::hypot(level.sensor_w.half_width, gain * level.reference_w.half_width);
  return std::max(width / kDeviationsIn95, kLeastError * std::abs(level.sensor_w.value));
}

/// Weighted sums over the levels.
struct Sums {
  double weight = 0, reference_w = 0, sensor_w = 0;  ///< the powers are weighted means
  /// Weighted sums of the squares of the reference's distances from these means, and of the products of the
  /// reference's and the sensor's distances.
  double spread = 0, product = 0;
};

Sums sums_of(const std::vector<LoadLevel>& levels, double gain) {
  Sums sums;
  const auto weight_of = [gain](const LoadLevel& level) { return 1 / std::pow(deviation_w(level, gain), 2); };
  for (const LoadLevel& level : levels) {
    const double weight = weight_of(level);
    sums.weight += weight;
    sums.reference_w += weight * level.reference_w.value;
    sums.sensor_w += weight * level.sensor_w.value;
  }
  sums.reference_w /= sums.weight;
  sums.sensor_w /= sums.weight;
  for (const LoadLevel& level : levels) {
    const double from_mean_w = level.reference_w.value - sums.reference_w;
    sums.spread += weight_of(level) * from_mean_w * from_mean_w;
    sums.product += weight_of(level) * from_mean_w * (level.sensor_w.value - sums.sensor_w);
  }
  return sums;
}

/// Returns the half-width of the 95 % intervals in standard errors. `chi_squared` is the sum of the squares
/// of the levels' distances from the line, in standard deviations; `freedom` is its degrees of freedom.
double width_factor(double chi_squared, double freedom) {
  const double scatter = chi_squared / freedom;
  return scatter <= 1 ? kDeviationsIn95 : student_t95(freedom) * std::sqrt(scatter);
}

}  // namespace

Interval SensorLine::offset_w() const {
  return {at_center_w.value - gain.value * center_w,
          std::hypot(at_center_w.half_width, center_w * gain.half_width)};
}

SensorLine fit_line(const std::vector<LoadLevel>& levels) {
  if (levels.size() < kFewestLevels)
    throw Error(fmt::format("a calibration needs {} load levels, but both meters read only {}", kFewestLevels,
                            levels.size()),
                "measure more kernels (--block-kernels), or each for longer (--block)");
  double gain = 1;
  Sums sums;
  for (int i = 0; i < kIterations; ++i) {
    sums = sums_of(levels, gain);
    if (!(sums.spread > 0)) break;
    gain = sums.product / sums.spread;
  }
  double chi_squared = 0;
  for (const LoadLevel& level : levels) {
    const double expected_w = sums.sensor_w + gain * (level.reference_w.value - sums.reference_w);
    chi_squared += std::pow((level.sensor_w.value - expected_w) / deviation_w(level, gain), 2);
  }
  const double factor = width_factor(chi_squared, static_cast<double>(levels.size()) - 2);
  const double half_width = factor / std::sqrt(sums.spread);
  const double without_scatter = kDeviationsIn95 / std::sqrt(sums.spread);
  if (!(without_scatter <= kWidestGain * std::max(1.0, std::abs(gain))))
    throw Error("the powers of the load levels differ too little to determine a gain",
                "choose work with a higher power, or repeat it for longer (--block)");
  if (!(half_width <= kWidestGain * gain))
    throw Error("the readings of the two meters do not follow the same load",
                "check that both meters measure this device");
  return {{gain, half_width}, sums.reference_w, {sums.sensor_w, factor / std::sqrt(sums.weight)}};
}

Interval Calibration::error_at(double read_w) const {
  const double accuracy = reference_accuracy.value_or(0);
  if (!offset_w) return {gain.value - 1, std::hypot(gain.half_width, gain.value * accuracy)};
  const double from_center_w = (read_w - at_center_w.value) / gain.value;
  const double true_w = center_w + from_center_w;
  if (!(true_w > 0)) return {0, std::numeric_limits<double>::infinity()};
  const double true_half_width_w =
      std::hypot(at_center_w.half_width, from_center_w * gain.half_width) / gain.value;
  const double ratio = read_w / true_w;
  return {ratio - 1, ratio * std::hypot(true_half_width_w / true_w, accuracy)};
}

std::string calibrated_error_text(const Calibration& calibration, double read_w) {
  const Interval error = calibration.error_at(read_w);
  const std::string how = fmt::format(
      "calibrated on {} against {}, gain {:.4f} +- {:.2g}{}", printable(calibration.made),
      printable(calibration.against), calibration.gain.value, calibration.gain.half_width,
      calibration.offset_w ? fmt::format(", offset {:+.2f} +- {:.2g} W", calibration.offset_w->value,
                                         calibration.offset_w->half_width)
                           : ", offset not known");
  if (!std::isfinite(error.half_width))
    return fmt::format("not known at {:.1f} W, which is not above the sensor's offset ({})", read_w, how);
  return fmt::format(
      "the sensor reads {:.2f} % +- {:.2g} % too {} at {:.1f} W; energies are not corrected for it "
      "({})",
      100 * std::abs(error.value), 100 * error.half_width, error.value < 0 ? "little" : "much", read_w, how);
}

}  // namespace kjoule
