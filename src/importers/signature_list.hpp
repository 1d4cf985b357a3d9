#pragma once
#include <string>

#include "base/files/padded_text.hpp"
#include "importers/import_choice.hpp"
#include "importers/imported_table.hpp"

namespace kjoule {

/// Reads kernel_signatures.json: an object with `kernels`, which is an array or has one array for each tier,
/// and optionally a `summary` with `iterations` and sums. Also reads the published
/// isolated_kernels_timing.json, whose rows have names and times, but no signatures. Throws the errors of
/// read_kernel_row() and KernelRows::finish(), and Error if the kernels do not add up to the sums of the
/// summary.
ImportedTable read_kernel_signatures(const PaddedText& text, const ImportChoice& choice,
                                     const std::string& file);

}  // namespace kjoule
