#pragma once
#include "importers/imported_table.hpp"

namespace kjoule {

/// Supplies operators and shapes to the kernels of `table` that lack them, from the matching kernels of
/// `like`. A kernel matches if kind, name, grid and block are equal, and shared bytes and bytes if both
/// tables contain them. If several kernels with different operators or shapes match, the one with the nearest
/// mean time is used, or else the one with the most launches; the kernel is then right, but its shapes may be
/// another launch's. If `like` is a recording, its signature is also supplied; a kernel of a CPU with a known
/// signature matches only an equal one. The result is added to the table's warnings.
void supply_shapes(ImportedTable& table, const ImportedTable& like);

/// Returns whether any kernel has no operator with shapes. Copies and memsets need none.
bool lacks_shapes(const ImportedTable& table);

}  // namespace kjoule
