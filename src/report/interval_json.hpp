#pragma once
#include <nlohmann/json.hpp>
#include <optional>

#include "base/numbers/interval.hpp"

namespace kjoule {

/// Returns the value of the interval, multiplied by `factor`; null if there is no interval.
inline nlohmann::ordered_json value_json(const std::optional<Interval>& interval, double factor = 1) {
  return interval ? nlohmann::ordered_json(factor * interval->value) : nlohmann::ordered_json();
}
/// Returns the half-width of the interval, times `factor`; null if there is no interval.
inline nlohmann::ordered_json half_width_json(const std::optional<Interval>& interval, double factor = 1) {
  return interval ? nlohmann::ordered_json(factor * interval->half_width) : nlohmann::ordered_json();
}
/// Returns the ends of the interval, times `factor`, as [low, high]; null if there is no interval.
inline nlohmann::ordered_json interval_json(const std::optional<Interval>& interval, double factor = 1) {
  if (!interval) return {};
  return {factor * (interval->value - interval->half_width),
          factor * (interval->value + interval->half_width)};
}

}  // namespace kjoule
