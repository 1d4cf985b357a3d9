#pragma once
#include <string>

#include "importers/csv_table.hpp"
#include "importers/table_rows.hpp"

namespace kjoule {

/// Adds the kernels of the tables that rocprof and rocprofv3 write for AMD GPUs to `rows`: statistics (a row
/// for each kernel) and traces (a row for each dispatch or copy). Grids of traces are in work-items; they are
/// converted to work-groups. Throws Error for tables without kernels: calls of the host, domains, counters.
void read_rocprof_csv(CsvTables csv, const std::string& file, TableRows& rows);

}  // namespace kjoule
