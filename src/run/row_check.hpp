#pragma once
#include <filesystem>

#include "run/rows.hpp"

namespace kjoule {

/// Checks rows that were read from `file` before they are used. Throws Error, with the line number of the
/// first damaged row, unless
/// - each kind is known, and the row has all fields of its kind;
/// - there is only one row of each kind of which a run writes one;
/// - rows are numbered without gaps;
/// - launches, kernels and groups that rows refer to exist;
/// - values are possible as measured values.
void check_rows(const RowList& rows, const std::filesystem::path& file);

}  // namespace kjoule
