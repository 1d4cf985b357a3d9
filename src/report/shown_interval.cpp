#include "report/shown_interval.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kjoule {

ShownInterval shown_interval(const Interval& interval, int digits, const char* unit) {
  const auto text = [digits](double number) { return fmt::format("{:.{}f}", number, digits); };
  const double value = interval.value, half_width = interval.half_width;
  if (!std::isfinite(value)) return {"-", "-"};
  if (!std::isfinite(half_width)) return {text(value), "-"};
  if (std::abs(value) > half_width)
    return {text(value), fmt::format("{:.1f} %", 100 * half_width / std::abs(value))};
  return {"< " + text(std::max(0.0, value + half_width)), text(half_width) + " " + unit};
}

}  // namespace kjoule
