#pragma once
#include <string>

#include "importers/csv_table.hpp"
#include "importers/table_rows.hpp"

namespace kjoule {

/// Adds the kernels of the reports of one `nsys stats --format csv` to `rows`. Of several reports with the
/// same kernels, the most detailed one is read; copies and memsets come from cuda_gpu_mem_time_sum if the
/// report of kernels has none. All other reports are named in a warning. Throws Error if no report lists
/// kernels, or if a report occurs twice.
void read_nsys_stats(CsvTables csv, const std::string& file, TableRows& rows);

}  // namespace kjoule
