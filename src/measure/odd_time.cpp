#include "measure/odd_time.hpp"

namespace kjoule {

namespace {

/// Share of the time in context: smaller differences are noise.
constexpr double kNoiseOfTime = 0.01;
/// Uncertainty of the energy of missing time, as a share of it. With it, the intervals of 43 of 45 earlier
/// runs on H200s contain their sums (bench/energy_again).
constexpr double kUnsureOfLacking = 0.7;

}  // namespace

double odd_time(double seconds, double in_context) {
  const double apart = seconds - in_context, noise = kNoiseOfTime * in_context;
  return apart * apart * apart / (apart * apart + noise * noise);
}

Interval odd_energy(double odd_s, double pause) {
  if (odd_s < 0) return {odd_s, kUnsureOfLacking * -odd_s};
  return {pause * odd_s, (1 - pause) * odd_s};
}

}  // namespace kjoule
