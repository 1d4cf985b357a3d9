#pragma once
#include "compare/result.hpp"
#include "run/rows.hpp"

namespace kjoule {

/// Adds the measured energies of sum, whole and program to the comparison, or why there are none; nothing if
/// energy was not requested, or is not measured yet. Notes say how meters, clocks, and times with and without
/// gaps differ. The comparison's kernels must be in the table's order; the kernels of one group share its
/// energy in proportion to their times in context.
void add_energy(const RowList& rows, Comparison& comparison);

}  // namespace kjoule
