#include "run/row_magnitudes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/numbers/measured_range.hpp"

namespace kjoule {

namespace {

/// The range of the fields whose names end with `suffix`.
struct NamedRange {
  std::string_view suffix;
  MeasuredRange range;
};

constexpr MeasuredRange kFrequencyRange{0, 1e12, "Hz"};
// The first suffix that fits counts.
constexpr NamedRange kNamedRanges[] = {
    {"_s", kPartTime},      {"seconds", kPartTime},   {"_ns", kPartTime.in("ns", 1e9)},
    {"_j", kEnergyRange},   {"joules", kEnergyRange}, {"_w", kPowerRange},
    {"watts", kPowerRange}, {"_hz", kFrequencyRange}};

/// Returns the range of a field that states a unit; null for other fields, and for rates such as byte_per_s.
const MeasuredRange* range_of(std::string_view field) {
  if (field.find("_per_") != std::string_view::npos) return nullptr;
  for (const NamedRange& named : kNamedRanges)
    if (field.ends_with(named.suffix)) return &named.range;
  return nullptr;
}

void check(const nlohmann::json& json, const std::string& field, const MeasuredRange* range) {
  if (json.is_object())
    for (const auto& [key, value] : json.items()) {
      const MeasuredRange* own = range_of(key);
      check(value, key, own != nullptr ? own : range);
    }
  else if (json.is_array())
    for (const nlohmann::json& value : json) check(value, field, range);
  // Whole numbers of ns are points in time, too.
  else if (json.is_number_float() && range != nullptr)
    check_measured(field, std::abs(json.get<double>()), *range);
}

}  // namespace

void check_magnitudes(const nlohmann::json& row) {
  check(row, "", nullptr);
}

}  // namespace kjoule
