#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "importers/import_choice.hpp"
#include "importers/imported_table.hpp"

namespace kjoule {

/// Returns whether a file is an SQLite database.
bool is_database(const std::filesystem::path& file);

/// Reads the kernels, copies, memsets and NVTX ranges of a database that Nsight Systems exported (nsys export
/// --type sqlite). Iterations are found as in a profiler trace, with NVTX ranges as annotations. Nothing is
/// written to the file, and no code in it is executed. Throws Error if the database has another origin,
/// contains no kernels or is damaged, or if its launches take more than `most_bytes` as text.
ImportedTable read_nsys_database(const std::filesystem::path& file, const ImportChoice& choice,
                                 uint64_t most_bytes);

}  // namespace kjoule
