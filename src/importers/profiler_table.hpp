#pragma once
#include <string>

#include "importers/import_choice.hpp"
#include "importers/imported_table.hpp"
#include "importers/profiler_trace.hpp"

namespace kjoule {

/// The kernels of a profiler trace with their counts. Iterations are what `choice` says, else ProfilerStep
/// ranges, else what repeats; failing all, they stay unknown. Iterations that come first and launch what no
/// later one does are warm-up and left out. Throws Error for a trace without kernels, for overlapping
/// iterations, and for several devices of which none was chosen.
ImportedTable profiler_table(const ProfilerTrace& trace, const ImportChoice& choice, const std::string& file);

}  // namespace kjoule
