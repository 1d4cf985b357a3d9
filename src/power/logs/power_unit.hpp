#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace kjoule {

/// Returns the W of one unit, or no value for other units than W, mW and kW and their names. M is mega, so
/// "MW" is none of them, and neither is "POWER_MW", which may mean either.
std::optional<double> watts_per(std::string_view unit);

/// A column's name, divided into what it measures and the unit that it states.
struct ColumnTitle {
  std::string quantity;         ///< in lower case: "psu 1" for "PSU 1 [mW]"
  std::optional<double> scale;  ///< W of one unit; absent if the name states no unit

  /// Divides the name of a column of power: "Leistung mW", "power_kw", "P [W]". Throws Error if it states a
  /// unit that is not understood, or two.
  explicit ColumnTitle(std::string_view name);
};

}  // namespace kjoule
