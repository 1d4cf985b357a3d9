#pragma once
#include <cmath>

#include "compare/iteration/verdict.hpp"

namespace kjoule {

/// The difference between a sum and its whole, the half-width of its 95 % interval, and the largest
/// difference for which the sum adds up. All are shares of the whole.
struct Agreement {
  double difference = 0, half_width = 0;
  double requested = 0;  ///< largest difference that was requested (--within)

  bool has_interval() const { return std::isfinite(difference) && std::isfinite(half_width); }
  /// Returns whether the 95 % interval of the difference excludes 0.
  bool is_outside() const { return std::abs(difference) > half_width; }
  /// Returns the largest absolute difference within the interval: |difference| + half_width.
  double within() const { return std::abs(difference) + half_width; }
  /// Returns the verdict of an equivalence test. The sum adds up if within() is at most `requested`.
  /// Otherwise it does not add up if the interval excludes 0, and is inconclusive if the interval contains 0.
  Verdict verdict() const {
    if (!has_interval()) return Verdict::inconclusive;
    if (within() <= requested) return Verdict::adds_up;
    return is_outside() ? Verdict::does_not_add_up : Verdict::inconclusive;
  }
};

}  // namespace kjoule
