#include "measure/energy/odd_time.hpp"

#include <algorithm>

namespace kjoule {

namespace {

/// Difference below which a time counts as equal to the time in context, as a share of the latter.
constexpr double kNoiseOfTime = 0.01;
/// Uncertainty of the energy of missing time, as a share of this energy. With it, the intervals of 43 of 45
/// earlier runs on H200s contain their sums (bench/energy_again).
constexpr double kUnsureOfLacking = 0.7;
/// Smallest time of displaced data that is used, as a share of the whole. Without displaced data, this time
/// scatters by up to 1.5 % (measurements/energy_readings_replaced.jsonl).
constexpr double kLeastDisplaced = 0.05;

/// Largest accepted power of additional time, divided by the whole's power.
constexpr double kMostPower = 3;

}  // namespace

double odd_time(double seconds, double in_context) {
  const double apart = seconds - in_context, noise = kNoiseOfTime * in_context;
  return apart * apart * apart / (apart * apart + noise * noise);
}

Interval power_of_added_time(double pause, const std::optional<RepeatEnergy>& displaced) {
  if (!displaced || displaced->seconds < kLeastDisplaced) return {pause, 1 - pause};
  const double power = std::clamp(displaced->joules / displaced->seconds, pause, kMostPower);
  return {power, std::max(1.0, power) - pause};
}

Interval odd_energy(double odd_s, const Interval& added) {
  if (odd_s < 0) return {odd_s, kUnsureOfLacking * -odd_s};
  return {added.value * odd_s, added.half_width * odd_s};
}

}  // namespace kjoule
