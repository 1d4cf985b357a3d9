#pragma once
#include <cmath>
#include <limits>
#include <optional>

#include "base/json/json_fields.hpp"

namespace kjoule {

/// A value and the half-width of its 95 % interval, in the same unit.
struct Interval {
  double value = 0;
  double half_width = 0;  ///< may be infinite, which is stored as null
};

template <class Fields>
void describe(Fields& fields, Interval& interval) {
  fields("value", interval.value);
  fields.as(
      "half_width", interval.half_width,
      [](double width) { return std::isfinite(width) ? std::optional(width) : std::nullopt; },
      [](const std::optional<double>& width) {
        return width.value_or(std::numeric_limits<double>::infinity());
      });
}

}  // namespace kjoule
