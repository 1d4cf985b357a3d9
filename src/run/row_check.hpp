#pragma once
#include <filesystem>

#include "run/rows.hpp"

namespace kjoule {

/// Checks rows that were read from `file` before anything is made of them: known kinds with all their fields,
/// one row where a run writes one, numbers without gaps, references to launches, kernels and groups that
/// exist, and values that can have been measured. Throws Error with the line of the first row that fails.
void check_rows(const RowList& rows, const std::filesystem::path& file);

}  // namespace kjoule
