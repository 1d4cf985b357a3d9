#pragma once
#include <string>

#include "base/files/padded_text.hpp"
#include "importers/import_choice.hpp"
#include "importers/imported_table.hpp"

namespace kjoule {

/// Returns whether a text begins with the dashes of a table of torch.profiler's key_averages().table().
bool is_profiler_averages(std::string_view text);

/// Reads the kernels of such a table: its lines with time of the device and none of the host. Operators and
/// calls of the host are left out. The profiler cuts long names ("..."); a warning says so. Throws Error if
/// the table has no times of a GPU or no kernels.
ImportedTable read_profiler_averages(const PaddedText& text, const ImportChoice& choice,
                                     const std::string& file);

}  // namespace kjoule
