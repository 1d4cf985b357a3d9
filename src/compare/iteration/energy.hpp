#pragma once
#include "compare/iteration/comparison.hpp"
#include "run/rows.hpp"

namespace kjoule {

/// Adds the measured energies of sum, whole and program to the comparison, or the reason why they are
/// missing. Adds nothing if energy was not requested, or is not measured yet. Notes state differences between
/// meters and between GPU clocks. The comparison's kernels must be in the table's order; the energy of a
/// group is divided among its kernels in proportion to their times in context.
void add_energy(const RowList& rows, Comparison& comparison);

}  // namespace kjoule
