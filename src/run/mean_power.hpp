#pragma once
#include "base/numbers/interval.hpp"

namespace kjoule {

/// The mean power of a GPU before the program was paused.
struct MeanPower {
  /// Mean power, W. It comes from the counter's first and last reading, each of which may be up to one sensor
  /// interval old. Therefore the half-width, as a share of the power, is the sensor interval divided by
  /// `seconds`. The accuracy of the meter itself is not included.
  Interval watts;
  double seconds = 0;  ///< time between the first and the last reading
};

}  // namespace kjoule
