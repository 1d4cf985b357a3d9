#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace kjoule {

/// Returns the number of watts in one W, mW, uW, kW, dW, cW or hW (symbol or name), or no value for other
/// units. "MW" is another unit: it is a megawatt, or in names such as "POWER_MW" may be either.
std::optional<double> watts_per(std::string_view unit);

/// Returns the number of watts in a unit with or without a number: "mW", "0.1 W", "[kW]"; no value for other
/// texts.
std::optional<double> watts_per_step(std::string_view text);

/// Returns the number of watts in the unit that the user states: those of watts_per(), and uW. Throws Error
/// for other texts.
double stated_unit(const std::string& unit);

/// Returns whether the text is a unit of power or of something else that loggers measure.
bool is_unit(std::string_view text);

/// Returns the first word of a text that is a unit of power other than W ("mW" in "# powers in mW"); empty if
/// there is none.
std::string_view other_unit_in(std::string_view text);

/// A column's name, divided into the measured quantity and its unit.
struct ColumnTitle {
  std::string quantity;         ///< in lower case: "psu 1" for "PSU 1 [mW]"
  std::optional<double> scale;  ///< number of watts in the unit; absent if the name states no unit

  /// Divides the name of a column of power: "Leistung mW", "power_kw", "P [W]", "P [0.1 W]". Throws Error if
  /// the name states an unknown unit, or two units.
  explicit ColumnTitle(std::string_view name);
};

}  // namespace kjoule
