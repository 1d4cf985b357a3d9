#pragma once
#include "base/numbers/interval.hpp"

namespace kjoule {

/// Returns the pause, s, before each repeat of work with the period `period_s` that avoids aliasing with a
/// sensor of `sensor_hz` samples per second, for a mean power over `span_s` seconds. Without a pause, a
/// sensor would sample work that repeats at a multiple of the sampling rate always at the same places.
/// Returns 0 if no pause reduces the error enough. A pause takes at most 6 % of the period.
double pause_against_aliasing(double period_s, const Interval& sensor_hz, double span_s);

/// Returns the approximate aliasing error of a mean power over `span_s` seconds, as a share of this power.
/// The work is assumed to consume much power in one half of its period and little in the other. The result is
/// the largest error for all sampling rates in the interval `sensor_hz`.
double aliasing_error(double period_s, const Interval& sensor_hz, double span_s);

}  // namespace kjoule
