#pragma once
#include <string>

#include "importers/import_choice.hpp"
#include "importers/imported_table.hpp"
#include "importers/profiler_trace.hpp"

namespace kjoule {

/// Returns the kernels of a profiler trace with their counts. Iterations are those of `choice`; without a
/// choice, the ProfilerStep ranges; without these, the repetitions of launches. If there are none, they stay
/// unknown. Initial iterations whose launches never occur again are warm-up and not counted. Throws Error for
/// a trace without kernels, for overlapping iterations, and for several devices of which none was chosen.
ImportedTable make_profiler_table(const ProfilerTrace& trace, const ImportChoice& choice,
                                  const std::string& file);

}  // namespace kjoule
