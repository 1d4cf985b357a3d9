#pragma once
#include <nlohmann/json.hpp>
#include <optional>

#include "base/numbers/interval.hpp"

namespace kjoule {

/// Returns the ends of the interval, times `factor`, as [low, high]; null if there is no interval.
inline nlohmann::ordered_json interval_json(const std::optional<Interval>& interval, double factor = 1) {
  if (!interval) return {};
  return {factor * (interval->value - interval->half_width),
          factor * (interval->value + interval->half_width)};
}

}  // namespace kjoule
