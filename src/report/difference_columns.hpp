#pragma once
#include "compare/changes/difference.hpp"
#include "report/table_column.hpp"

namespace kjoule {

/// A quantity with its unit in reports.
struct ReportedQuantity {
  const char* word;
  const char* unit;
  double factor;  ///< from the SI unit
  int decimals;   ///< on the screen
};
inline constexpr ReportedQuantity kTime{"time", "us", 1e6, 2}, kEnergy{"energy", "mJ", 1e3, 3},
    kPower{"power", "W", 1, 1};

/// Returns the value of a quantity for the screen, in its unit.
std::string value_text(double value, const ReportedQuantity& quantity);

/// A value before and after, with what its columns need.
struct ReportedChange {
  std::optional<ValueChange> value;  ///< nothing if it was not measured in both runs
  const ReportedQuantity* quantity = &kTime;
  bool is_in_percent = false;  ///< whether the screen shows the change in % of the earlier value

  bool is_change() const { return value && value->is_change(); }
  /// Returns the half-width of the 95 % interval of the change for the screen; "-" without a value.
  std::string half_width_text() const;
};

/// Returns the columns of a change of this quantity: of the tables of changes, of difference_csv() and of the
/// objects `time_us` and so on in difference_json().
std::vector<TableColumn<ReportedChange>> change_columns(const ReportedQuantity& quantity);
/// Returns the heads of all tables of changes, for the help.
TableColumns difference_columns();

/// A line of difference_csv(): a whole, a kernel, a range or a layer.
struct ChangedLine {
  std::string phase;
  std::string part;                      ///< "whole", "kernel", "range" or "layer"
  const KernelChange* kernel = nullptr;  ///< null unless it is a kernel
  const PartChange* item = nullptr;      ///< null unless it is a range or layer
  std::optional<ValueChange> time_s = {}, energy_j = {};
};
/// Returns the columns of difference_csv(), and of the kernels in difference_json().
const std::vector<TableColumn<ChangedLine>>& changed_line_columns();

}  // namespace kjoule
