#include "base/numbers/measured_range.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace kjoule {

void check_measured(const std::string& what, double value, const MeasuredRange& range) {
  if (range.contains(value)) return;
  throw Error(fmt::format("{} is {:g} {}, which is not from {:g} to {:g} {}", what, value, range.unit,
                          range.least, range.most, range.unit));
}

void check_measured(const std::string& what, const std::optional<Interval>& value,
                    const MeasuredRange& range) {
  if (!value) return;
  if (value->half_width >= 0 && value->value <= range.most && value->value + value->half_width >= range.least)
    return;
  throw Error(fmt::format("{} is {:g} +- {:g} {}, which is not from {:g} to {:g} {}", what, value->value,
                          value->half_width, range.unit, range.least, range.most, range.unit));
}

}  // namespace kjoule
