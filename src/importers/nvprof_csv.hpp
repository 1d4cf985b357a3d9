#pragma once
#include <string>

#include "importers/csv_table.hpp"
#include "importers/table_rows.hpp"

namespace kjoule {

/// Adds the kernels and copies of `nvprof --csv` to `rows`: summaries (a row for each kernel) and the trace
/// of
/// `--print-gpu-trace` (a row for each launch). Units are in the line below the header. Calls of the API and
/// tables of unified memory are left out with a warning. Throws Error if there are only such tables or tables
/// of metrics, or both a summary and a trace.
void read_nvprof_csv(CsvTables csv, const std::string& file, TableRows& rows);

}  // namespace kjoule
