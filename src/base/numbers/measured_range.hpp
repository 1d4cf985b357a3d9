#pragma once
#include <optional>
#include <string>

#include "base/numbers/interval.hpp"

namespace kjoule {

/// The values that a measured quantity can have. Other values in a file of results were not measured: the
/// file was changed.
struct MeasuredRange {
  double least, most;
  const char* unit;
  /// Returns the range in another unit, of which `per_unit` are one of this unit.
  constexpr MeasuredRange in(const char* other, double per_unit) const {
    return {least * per_unit, most * per_unit, other};
  }
  bool contains(double value) const { return value >= least && value <= most; }
};

/// Time of work that was measured, which is above 0: an iteration, a kernel in isolation, a reading.
inline constexpr MeasuredRange kWorkTime{1e-9, 1e8, "s"};
/// Time that may be 0: a part of an iteration, a pause.
inline constexpr MeasuredRange kPartTime{0, 1e8, "s"};
inline constexpr MeasuredRange kEnergyRange{0, 1e12, "J"};
inline constexpr MeasuredRange kPowerRange{0, 1e9, "W"};

/// Throws Error, which begins with `what` and has no remedy, if the value is outside the range or NaN.
void check_measured(const std::string& what, double value, const MeasuredRange& range);
/// Throws Error like the function above if the interval's half-width is negative, if the value is above the
/// range, or if it is below the range by more than its half-width, as a noisy difference can be. Accepts a
/// value that was not measured (nullopt).
void check_measured(const std::string& what, const std::optional<Interval>& value,
                    const MeasuredRange& range);

}  // namespace kjoule
