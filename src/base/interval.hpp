#pragma once

namespace kjoule {

/// A value and the half-width of its 95 % interval, in the same unit.
struct Interval {
  double value = 0;
  double half_width = 0;
};

}  // namespace kjoule
