#pragma once
#include "base/numbers/interval.hpp"

namespace kjoule {

/// The mean power of a GPU before the program was paused.
struct MeanPower {
  /// Mean power, W. Each of the two readings may be up to one sensor interval old, so the half-width, as a
  /// share, is the sensor interval divided by `seconds`. The accuracy of the meter itself is not included.
  Interval watts;
  double seconds = 0;  ///< time between the first and the last reading
};

}  // namespace kjoule
