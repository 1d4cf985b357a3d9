#pragma once
#include <string>

#include "importers/csv_table.hpp"
#include "importers/table_rows.hpp"

namespace kjoule {

/// Adds the launches of `ncu --csv` to `rows`: the pages "details" (a line for each metric of a launch),
/// "raw" (a line for each launch, below a line of units) and "--print-summary per-kernel" (numbers of
/// launches and mean times). Lines are of one launch if they have the same ID, process, kernel, grid, block,
/// stream and device. Throws Error "FILE:LINE: .." for a duration of unknown unit, two different durations of
/// one launch, and lines of one launch that are not next to each other.
void read_ncu_csv(CsvTables csv, const std::string& file, TableRows& rows);

}  // namespace kjoule
