#pragma once
#include <string>

#include "base/files/padded_text.hpp"
#include "importers/import_choice.hpp"
#include "importers/imported_table.hpp"

namespace kjoule {

/// Returns whether a text begins with the line of dashes of a table by torch.profiler's
/// key_averages().table().
bool is_profiler_averages(std::string_view text);

/// Reads the kernels of such a table: the lines with device time and without host time. Operators and host
/// calls are left out. Adds a warning if the profiler cut long names ("..."). Throws Error if the table
/// contains no times of a GPU or no kernels.
ImportedTable read_profiler_averages(const PaddedText& text, const ImportChoice& choice,
                                     const std::string& file);

}  // namespace kjoule
