#pragma once
#include "base/numbers/interval.hpp"

namespace kjoule {

/// Returns the pause, s, before each repeat of work with this period that avoids aliasing with a sensor of
/// `sensor_hz` samples per second, averaged over `span_s` seconds. Without it, the sensor would sample
/// work that repeats at a multiple of its rate always at the same places. Returns 0 if no pause reduces the
/// error enough; the longest pause is 6 % of the period.
double pause_against_aliasing(double period_s, const Interval& sensor_hz, double span_s);

/// Returns the approximate aliasing error of the mean power, as a share of it, for work with this period that
/// draws much power in one half of the period and little in the other: the largest error for a sensor's rate
/// within the interval.
double aliasing_error(double period_s, const Interval& sensor_hz, double span_s);

}  // namespace kjoule
