#pragma once
#include <string>

#include "base/files/padded_text.hpp"
#include "importers/import_choice.hpp"
#include "importers/imported_table.hpp"

namespace kjoule {

/// Returns whether a text contains a table of torch.profiler's key_averages().table(), also behind other
/// lines and in comments.
bool is_profiler_averages(std::string_view text);

/// Reads the kernels of such a table: the lines with time of the device and without time of the host, except
/// ranges such as ProfilerStep*. Operators and host calls are left out. Adds a warning for ranges, for names
/// that the profiler cut ("..."), and if the total below the table is missing. Throws Error if the table
/// contains no times of a device or no kernels, if its kernels do not add up to the total, or if the text
/// contains a second table.
ImportedTable read_profiler_averages(const PaddedText& text, const ImportChoice& choice,
                                     const std::string& file);

}  // namespace kjoule
