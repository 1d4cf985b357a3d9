#pragma once
#include <string>

#include "importers/csv_table.hpp"
#include "importers/table_rows.hpp"

namespace kjoule {

/// Reads the launches of `ncu --csv`: the pages "details" (a line for each metric of a launch), "raw" (a line
/// for each launch, below a line of units) and "--print-summary per-kernel" (numbers of launches and mean
/// times). Lines are of one launch if they have the same ID, process, kernel, grid, block, stream and device.
/// Throws Error "FILE:LINE: .." for a duration of unknown unit, or two different durations of one launch.
TableRows read_ncu_csv(CsvTables csv, const std::string& file);

}  // namespace kjoule
