#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "power/meters/meter.hpp"

namespace kjoule {

/// Reads the cells of one column of power, of logs that are complete and of logs that grow; no other code
/// reads such cells. Throws Error for a cell whose power is doubtful: its unit is unknown or contradicts the
/// column's name, a comma may separate thousands, or no device of this scope consumes so much power.
class PowerColumn {
 public:
  /// `name` is the column's name in the header; empty if the log has no header. Throws Error if the name
  /// states an unknown unit.
  PowerColumn(std::string name, Scope scope);

  /// Returns the power in W, at least 0, of a cell such as "125.3", "125,3", "125.3 W" or "300 mW", or no
  /// value for cells that are not a power.
  std::optional<double> read(std::string_view cell);
  /// Throws Error if neither the column's name nor any cell states a unit and all powers are below 1 W: their
  /// unit is then not W.
  void check_unit() const;

 private:
  /// Reads a number with a comma at the begin of the cell, and removes the number from the cell. Returns no
  /// value if the comma is not a part of the number.
  std::optional<double> read_commas(std::string_view& cell);
  /// Returns the number of watts in one unit of the cell.
  double scale_of(std::string_view unit);
  [[noreturn]] void refuse(const std::string& cause, const std::string& remedy) const;

  std::string name_;
  Scope scope_;
  std::optional<double> scale_;  ///< watts in one unit of the column's name; absent if it states no unit
  bool has_bare_ = false;        ///< whether an earlier cell stated no unit
  bool has_other_ = false;       ///< whether an earlier cell stated a unit other than W
  bool has_comma_ = false;       ///< whether an earlier cell had a comma that is certainly a decimal one
  double most_w_ = 0;            ///< highest power so far
};

}  // namespace kjoule
