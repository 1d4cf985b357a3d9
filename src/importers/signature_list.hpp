#pragma once
#include <string>

#include "base/padded_text.hpp"
#include "importers/import_choice.hpp"
#include "importers/imported_table.hpp"

namespace kjoule {

/// kernel_signatures.json: `kernels`, an array or one for each tier, perhaps a `summary` with `iterations`
/// and sums. Throws Error as read_kernel_row() and KernelRows::finish() do, and where the kernels do not add
/// up to what the summary says.
ImportedTable read_kernel_signatures(const PaddedText& text, const ImportChoice& choice,
                                     const std::string& file);

}  // namespace kjoule
