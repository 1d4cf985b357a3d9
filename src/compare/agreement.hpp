#pragma once
#include <cmath>

#include "compare/verdict.hpp"

namespace kjoule {

/// How far a sum is from its whole, with the half-width of the 95 % interval of that distance, and how far it
/// may be. All are shares of the whole.
struct Agreement {
  double difference = 0, half_width = 0;
  double requested = 0;

  bool has_interval() const { return std::isfinite(difference) && std::isfinite(half_width); }
  bool is_outside() const { return std::abs(difference) > half_width; }
  /// Returns the share within which sum and whole are equal: the farther end of the interval.
  double within() const { return std::abs(difference) + half_width; }
  /// Returns the verdict of an equivalence test: the sum adds up if the whole interval is within what was
  /// requested. A difference that is outside its interval does not, unless it is so small.
  Verdict verdict() const {
    if (!has_interval()) return Verdict::inconclusive;
    if (within() <= requested) return Verdict::adds_up;
    return is_outside() ? Verdict::does_not_add_up : Verdict::inconclusive;
  }
};

}  // namespace kjoule
