#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "power/meters/meter.hpp"

namespace kjoule {

/// Reads the cells of one column of power. This is the only reader of such cells, of logs that are complete
/// and of those that grow. It throws Error where a cell may be another power than the one that it seems to
/// be: a unit that is not known or contradicts the column's name, a comma that may separate thousands, a
/// power that nothing of this scope draws.
class PowerColumn {
 public:
  /// `name` is the column's name in the header, empty if the log has none. Throws Error if it states a unit
  /// that is not understood.
  PowerColumn(std::string name, Scope scope);

  /// Returns the power in W, at least 0, of a cell such as "125.3", "125,3", "125.3 W" or "300 mW", or no
  /// value for cells that are not a power.
  std::optional<double> read(std::string_view cell);
  /// Throws Error if no cell states a unit, and all powers are below 1 W: they are in another unit than W.
  void check_unit() const;

 private:
  /// Reads a number with a comma at the begin of the cell, and removes it from the cell. Returns no value if
  /// the comma is not a part of the number.
  std::optional<double> read_commas(std::string_view& cell);
  /// Returns the W of one unit of the cell.
  double scale_of(std::string_view unit);
  [[noreturn]] void refuse(const std::string& cause, const std::string& remedy) const;

  std::string name_;
  Scope scope_;
  std::optional<double> scale_;  ///< W of one unit, as the column's name states it
  bool has_bare_ = false;        ///< whether a cell stated no unit
  bool has_other_ = false;       ///< whether a cell stated another unit than W
  bool has_comma_ = false;       ///< whether a comma was surely a decimal one
  double most_w_ = 0;
};

}  // namespace kjoule
