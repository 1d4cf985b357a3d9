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
/// --type sqlite). Iterations are found as in a profiler trace; NVTX ranges are its annotations. The file is
/// only read, and no code in it is executed. Throws Error for another database, one without kernels, one that
/// is damaged, and one whose launches take more than `most_bytes` as text.
ImportedTable read_nsys_database(const std::filesystem::path& file, const ImportChoice& choice,
                                 uint64_t most_bytes);

}  // namespace kjoule
