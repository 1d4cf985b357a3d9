#pragma once
#include <string>
#include <vector>

#include "power/integrate.hpp"
#include "report/table_column.hpp"

namespace kjoule {

/// A series of a power log with the energy from its first to its last reading.
struct LoggedSeries {
  std::string name;
  WindowEnergy energy;
};
/// Returns the series with its energy. The series must have a reading.
LoggedSeries logged_series(const PowerSeries& series);

/// Returns the columns of the series of a power log, for pages.
const std::vector<TableColumn<LoggedSeries>>& series_columns();

}  // namespace kjoule
