#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "power/meters/meter.hpp"

namespace kjoule {

/// Reads the cells of one column of power, of logs that are complete and of logs that grow; no other code
/// reads such cells. Throws Error for a cell whose power is doubtful: its unit is unknown or contradicts the
/// column's name, a comma may separate thousands, or no device of this scope consumes so much power. Only a
/// unit that the user states allows more than 2 kW of a single GPU, because scripts name mW "W".
class PowerColumn {
 public:
  /// `name` is the column's name in the header; empty if the log has no header. `stated_w` is the number of
  /// watts in the unit that the user states; without it, Error is thrown if the name states an unknown unit.
  PowerColumn(std::string name, Scope scope, std::optional<double> stated_w = {});

  /// Returns the power in W, at least 0, of a cell such as "125.3", "125,3", "125.3 W" or "300 mW", or no
  /// value for cells that are not a power.
  std::optional<double> read(std::string_view cell);
  /// Sets the unit that a second line of the header states for the column. Throws Error if the unit is
  /// unknown or contradicts the column's name.
  void set_unit(std::string_view unit);
  /// Throws Error if the powers so far show that their unit is not W: neither the column's name nor any cell
  /// states a unit, and all powers are below 1 W, or whole numbers above 2 kW of a device that is not known,
  /// or `comment_unit` is the unit that a comment of the log mentions.
  void check_unit(std::string_view comment_unit = {}) const;
  /// Throws Error if points in the cells so far may separate thousands: "1.050" next to "980".
  void check_points() const;

 private:
  /// Reads a number with a comma at the begin of the cell, and removes the number from the cell. Returns no
  /// value if the comma is not a part of the number.
  std::optional<double> read_commas(std::string_view& cell);
  /// Returns the number of watts in one unit of the cell.
  double scale_of(std::string_view unit);
  /// Counts whether the number has a point that may separate thousands.
  void judge_point(std::string_view number, double value);
  void check_plausible(double watts, bool has_unit) const;
  [[noreturn]] void refuse(const std::string& cause, const std::string& remedy) const;

  std::string name_;
  Scope scope_;
  bool one_gpu_;                 ///< whether the powers are those of a single GPU
  bool stated_;                  ///< whether the user has stated the unit
  std::optional<double> scale_;  ///< watts in one unit of the column's name; absent if it states no unit
  bool has_bare_ = false;        ///< whether an earlier cell stated no unit
  bool has_other_ = false;       ///< whether an earlier cell stated a unit other than W
  bool has_comma_ = false;       ///< whether an earlier cell had a comma that is certainly a decimal one
  bool has_fraction_ = false;    ///< whether an earlier power was no whole number
  double most_w_ = 0;            ///< highest power so far
  bool has_decimals_ = false;    ///< whether an earlier cell has a point that is certainly a decimal one
  /// Numbers of the earlier cells without a point, and of those with a point before exactly three digits.
  double least_whole_ = 0, most_whole_ = 0, most_grouped_ = 0;
};

}  // namespace kjoule
