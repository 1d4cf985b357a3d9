#pragma once
#include "importers/imported_table.hpp"

namespace kjoule {

/// Gives kernels of `table` that have no operator with shapes those of the kernel in `like` that agrees in
/// kind, name, grid, block (and shared bytes and bytes where both tell them). Where several agree, which are
/// launched by different operators or shapes, the nearest in mean time lends, else the most launched: it is
/// the same kernel, but another of its shapes may be meant. Of a recording's kernel the signature comes
/// along, and a kernel of the CPU whose own is known takes from an equal one only. What happened is added to
/// the table's warnings.
void lend_shapes(ImportedTable& table, const ImportedTable& like);

/// Whether a kernel has no operator with shapes; copies and memsets need none.
bool lacks_shapes(const ImportedTable& table);

}  // namespace kjoule
