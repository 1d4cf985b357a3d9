#pragma once
#include "importers/imported_table.hpp"

namespace kjoule {

/// Supplies operators and shapes to the kernels of `table` that lack them, from the matching kernels of
/// `like`. A kernel matches if kind, name, grid and block are equal, and shared bytes and bytes if both
/// tables contain them. If kernels with different operators or shapes match, the one with the nearest mean
/// time is used, or without times the one with the most launches; its shapes may then be those of another
/// launch of the kernel. If `like` is a recording, its signatures are also supplied. A kernel of a CPU with a
/// recorded signature matches only a kernel with the same signature. The result is added to the table's
/// warnings.
void supply_shapes(ImportedTable& table, const ImportedTable& like);

/// Returns whether any kernel has no operator with shapes. Copies and memsets do not count.
bool lacks_shapes(const ImportedTable& table);

}  // namespace kjoule
