#pragma once
#include "base/numbers/interval.hpp"

namespace kjoule {

/// Returns the pause before each repeat of work, s, that avoids aliasing of the power readings. The work
/// repeats every `period_s` seconds, the sensor takes `sensor_hz` samples per second, and the power is
/// averaged over `span_s` seconds. Without a pause, a sensor would sample work that repeats at a multiple of
/// the sampling rate always at the same places of the work. A pause is at most 6 % of the period. Returns 0
/// if no such pause reduces the error enough.
double pause_against_aliasing(double period_s, const Interval& sensor_hz, double span_s);

/// Returns the approximate aliasing error of a mean power over `span_s` seconds, as a share of this power.
/// The arguments are those of pause_against_aliasing(). The work is assumed to consume much power in one half
/// of its period, and little power in the other half. The result is the largest error for all sampling rates
/// in the interval `sensor_hz`.
double aliasing_error(double period_s, const Interval& sensor_hz, double span_s);

}  // namespace kjoule
