#pragma once
#include "base/numbers/interval.hpp"

namespace kjoule {

/// The mean power of a GPU while a program ran by itself.
struct MeanPower {
  /// Mean power, W. The half-width is the time of one tick of the counter, as a share of the time between the
  /// readings: each of them may be up to one tick old. The accuracy of the meter itself is not included.
  Interval watts;
  double seconds = 0;  ///< time between the first and the last reading
};

}  // namespace kjoule
