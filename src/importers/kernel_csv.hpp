#pragma once
#include <string>

#include "base/files/padded_text.hpp"
#include "importers/import_choice.hpp"
#include "importers/imported_table.hpp"

namespace kjoule {

/// Reads kernels as CSV: a header line with the field names of read_kernel_row() or the columns of another
/// tool, then one line for each kernel or launch. The tables of profilers are converted by the reader of
/// their tool (read_ncu_csv(), read_nsys_stats(), read_nvprof_csv(), read_rocprof_csv()). Adds a warning if
/// the last line has no line end. Throws the errors of these readers, of read_csv_tables(),
/// read_kernel_row() and KernelRows::finish().
ImportedTable read_kernel_csv(const PaddedText& text, const ImportChoice& choice, const std::string& file);

}  // namespace kjoule
