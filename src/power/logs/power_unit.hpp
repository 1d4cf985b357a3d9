#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace kjoule {

/// Returns the number of watts in one W, mW or kW (symbol or name), or no value for other units. "MW" is
/// another unit: it is a megawatt, or in names such as "POWER_MW" may be either.
std::optional<double> watts_per(std::string_view unit);

/// A column's name, divided into the measured quantity and its unit.
struct ColumnTitle {
  std::string quantity;         ///< in lower case: "psu 1" for "PSU 1 [mW]"
  std::optional<double> scale;  ///< number of watts in the unit; absent if the name states no unit

  /// Divides the name of a column of power: "Leistung mW", "power_kw", "P [W]". Throws Error if the name
  /// states an unknown unit, or two units.
  explicit ColumnTitle(std::string_view name);
};

}  // namespace kjoule
